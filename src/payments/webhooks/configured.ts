import { invalidConfig, type SandboxError } from "../../errors/errors.ts";
import { storedHeaders } from "../../webhooks/endpoint-headers.ts";
import { readEndpointUrlOrPath } from "../../webhooks/endpoint-url.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import { createSave, type MadeRow } from "../../world/save.ts";
import type { World } from "../../world/world.ts";
import type { PlatformWebhookSettings } from "../context.ts";
import type { OrganizationRow } from "../rows.ts";
import { PLATFORM_SENDER } from "./platform.ts";

/** Creates the configured endpoints in a new world. Skips endpoints whose URL is already registered. */
export function addConfiguredEndpoints(world: World, settings: PlatformWebhookSettings): void {
  const { clock, ids, random, store } = world;
  const save = createSave(store);
  const organizations = store.sql<OrganizationRow>("select * from organizations order by position").all();
  const existing = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and url = ? and deleted_at is null",
  );
  const now = clock.now();
  store.transaction(() => {
    for (const [index, endpoint] of settings.endpoints.entries()) {
      const { organization, events = ["*"], secret, description = null, headers } = endpoint;
      const owner =
        organization === undefined
          ? organizations[0]
          : organizations.find(({ id, name, slug }) => [id, name, slug].includes(organization));
      if (!owner) throw unknownOrganization(index, organization!, organizations);
      const url = readEndpointUrlOrPath(endpoint.url, settings);
      if (existing.get(owner.id, url)) continue;
      const id = ids.next("wh_");
      save("webhooks", {
        id,
        org: owner.id,
        url,
        events: JSON.stringify(events),
        description,
        secret: secret ?? settings.secret ?? `whsec_${random.bytes("webhook_secret").toString("hex")}`,
        status: "enabled",
        consecutive_failures: 0,
        created_at: now,
        updated_at: now,
        seeded: 0,
        headers: storedHeaders(headers),
        sender: PLATFORM_SENDER,
      } satisfies MadeRow<WebhookRow>);
      save("webhook_state_changes", { webhook_id: id, change: "created", reason: null, at: now });
    }
  });
}

function unknownOrganization(index: number, name: string, all: readonly OrganizationRow[]): SandboxError {
  return invalidConfig(
    `webhooks.endpoints[${index}].organization must be an organization of the world, not '${name.slice(0, 100)}'.`,
    `Organizations: ${all.map(({ slug }) => slug).join(", ")}.`,
  );
}
