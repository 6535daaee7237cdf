import { withScheme } from "../../runtime/http-url.ts";
import type { EndpointHeaders } from "../../webhooks/endpoint-headers.ts";
import { readEndpointUrl } from "../../webhooks/endpoint-url.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import type { Caller, PaymentsContext } from "../context.ts";
import type { WebhookCreate } from "../schemas/webhooks.ts";
import type { DashboardEndpoints } from "./dashboard.ts";
import type { WebhookEndpoints } from "./endpoints.ts";

/** An endpoint that its owner registers in the dashboard, where the secret can be chosen. */
export interface WebhookRegistration extends WebhookCreate {
  secret?: string | undefined;
  /** Headers of its deliveries in addition to the sender's. */
  headers?: EndpointHeaders | undefined;
  /** Its sender; the platform by default. The caller's account is the sender's. */
  sender?: string | undefined;
  /** Creates an endpoint even if one with this URL, events and description exists. */
  another?: boolean | undefined;
}

export interface Registrations {
  /**
   * Finds and enables the endpoint with this URL, events and description, or creates one. Unless a secret or another endpoint is
   * requested, it gets the URL's last secret, even that of a deleted endpoint.
   */
  register(caller: Caller, registration: WebhookRegistration): { id: string; created: boolean };
}

/** Endpoints that a person registers repeatedly for one server, which should not need a new secret each time. */
export function createRegistrations(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  endpoints: WebhookEndpoints & DashboardEndpoints,
): Registrations {
  const { store } = world;
  const atUrl = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and url = ? order by created_at desc, rowid desc",
  );

  return {
    register(caller, { secret, another = false, sender, headers, ...given }) {
      const input = { ...given, url: withScheme(given.url) };
      return store.transaction(() => {
        const { description = null } = input;
        const events = namesOf(input.events ?? ["*"]);
        const earlier = atUrl.all(
          caller.org,
          readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]),
        );
        const row = earlier.find(
          (it) =>
            it.deleted_at === null &&
            it.description === description &&
            namesOf(JSON.parse(it.events)) === events,
        );
        if (!row || another) {
          const known = another
            ? undefined
            : ((sender === undefined ? settings.webhooks.secret : settings.webhooks.subscriberSecret) ??
              earlier[0]?.secret);
          return {
            id: endpoints.create(caller, input, { secret: secret ?? known, status: 200, sender, headers }).id,
            created: true,
          };
        }
        if (row.confined_to !== null) endpoints.update(caller, row.id, { url: input.url });
        endpoints.setDelivery(caller, row, { secret, headers });
        if (row.status !== "enabled") endpoints.turn(caller, row, "enabled");
        return { id: row.id, created: false };
      });
    },
  };
}

const namesOf = (events: readonly string[]): string => [...events].sort().join();
