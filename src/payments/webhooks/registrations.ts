import type { Caller, PaymentsContext } from "../context.ts";
import type { WebhookRow } from "../rows.ts";
import type { WebhookCreate } from "../schemas/webhooks.ts";
import { readEndpointUrl } from "./endpoint-url.ts";
import type { Endpoints } from "./endpoints.ts";

/** An endpoint as its owner registers it in the dashboard: there the secret can be chosen. */
export interface WebhookRegistration extends WebhookCreate {
  secret?: string | undefined;
}

export type Registrations = ReturnType<typeof createRegistrations>;

/** Endpoints that a person registers again and again for one server, which should not have to learn a new secret each time. */
export function createRegistrations(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  endpoints: Endpoints,
) {
  const { store } = world;
  const atUrl = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and url = ? order by created_at desc, rowid desc",
  );

  return {
    /**
     * Makes an endpoint, or enables and updates the one with the same URL and description. Unless a secret is chosen, a
     * new endpoint gets the one that the URL had last, deleted endpoints included.
     * @returns its id
     */
    register(caller: Caller, { secret, ...input }: WebhookRegistration): string {
      return store.transaction(() => {
        const { description = null, events = ["*"] } = input;
        const earlier = atUrl.all(
          caller.org,
          readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]),
        );
        const row = earlier.find((it) => it.deleted_at === null && it.description === description);
        if (!row) {
          const chosen = secret ?? settings.webhooks.secret ?? earlier[0]?.secret;
          return endpoints.create(caller, input, chosen, 200).id;
        }
        if (row.confined_to !== null) endpoints.update(caller, row.id, { url: input.url });
        if (JSON.stringify(events) !== row.events) endpoints.update(caller, row.id, { events });
        if (secret !== undefined && secret !== row.secret) endpoints.setSecret(caller, row.id, secret);
        if (row.status === "disabled") endpoints.enable(caller, row);
        return row.id;
      });
    },
  };
}
