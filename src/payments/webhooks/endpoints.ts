import type { Static } from "typebox";
import type { Caller } from "../../http/caller.ts";
import { listPage } from "../../http/listing.ts";
import type { EngineContext } from "../../webhooks/context.ts";
import { checkHeaders, type EndpointHeaders, storedHeaders } from "../../webhooks/endpoint-headers.ts";
import { confinementOf, expandUrl, readEndpointUrl } from "../../webhooks/endpoint-url.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import { isoOrNull } from "../../world/duration.ts";
import type { Audit } from "../audit.ts";
import type { PaymentsContext } from "../context.ts";
import { invalidField, invalidTransition } from "../errors.ts";
import { columnsOf, updateFields } from "../patch.ts";
import { presenter } from "../present.ts";
import type { Resource } from "../records.ts";
import {
  WEBHOOKS,
  type Webhook,
  type WebhookCreate,
  type WebhookCreated,
  WebhookUpdate,
} from "../schemas/webhooks.ts";
import { PLATFORM_SENDER } from "./platform.ts";

const WRITABLE = columnsOf(WebhookUpdate, "is_active");

/** Fields of an endpoint's deliveries that only the dashboard can set. */
export interface DeliveryChoice {
  /** The secret; a new endpoint has the configured one, or a random one, by default. */
  secret?: string | undefined;
  headers?: EndpointHeaders | undefined;
}

/** Fields of an endpoint that only the dashboard can set. */
interface DashboardChoice extends DeliveryChoice {
  /** The status of the call's answer. */
  status?: number;
  /** The sender's name; the platform by default. */
  sender?: string | undefined;
}

/** Webhook endpoints in the platform's API. Deleting one cancels its planned retries, and preserves the history. */
export interface WebhookEndpoints extends Resource<typeof WEBHOOKS> {
  resource(row: WebhookRow): Static<typeof Webhook>;
  /**
   * Only this answer of the API contains the secret.
   * @param choice fields that the API cannot set
   * @throws PlatformError invalid_field_value for the URL or the events; SandboxError `bad_request` for a choice
   */
  create(caller: Caller, input: WebhookCreate, choice?: DashboardChoice): Static<typeof WebhookCreated>;
  delete(caller: Caller, id: string): { object: "webhook"; id: string; deleted: true };
}

export function createWebhookEndpoints(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  rows: Endpoints,
  senderOf: EngineContext["senderOf"],
  audit: Audit,
): WebhookEndpoints {
  const { store, random, clock } = world;

  const resource = presenter(WEBHOOKS.item, (row: WebhookRow) => ({
    url: expandUrl(row.url, origin()),
    events: JSON.parse(row.events) as string[],
    is_active: row.status === "enabled",
    failure_count: row.consecutive_failures,
    last_triggered_at: isoOrNull(row.last_delivery_at),
  }));

  /** Disables an endpoint by an update, or enables one that an update disabled; the dashboard enables all others. */
  function switchTo(row: WebhookRow, active: boolean): void {
    if (active === (row.status === "enabled")) return;
    if (!active) rows.turn(row, "disabled", "api");
    else if (row.disabled_reason === "api") rows.turn(row, "enabled", "api");
    else
      throw invalidTransition(
        `The endpoint was disabled ${row.disabled_reason === "dashboard" ? "in the dashboard" : `after ${row.consecutive_failures} failed deliveries`}. Enable it in the dashboard: POST /_sandbox/webhooks/${row.id}/enable.`,
        "is_active",
      );
  }

  return {
    resource,
    get: (org, id) => resource(rows.find(org, id)),
    list: (org, query) =>
      listPage(store, "webhooks", [["org = ?", org], ["deleted_at is null"]], query, resource),

    create(caller, input, choice = {}) {
      const { secret: chosen = settings.webhooks.secret, status = 201, headers } = choice;
      const { sender = PLATFORM_SENDER } = choice;
      return store.transaction(() => {
        const url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
        const { newSecret, events, headerNames } = senderOf(sender);
        if (headers) checkHeaders(headers, headerNames);
        if (chosen !== undefined) senderOf(sender).checkSecret?.(chosen);
        const secret = chosen ?? newSecret(random.bytes("webhook_secret"));
        const id = rows.create({
          org: caller.org,
          sender,
          url,
          events: readEvents(input.events ?? ["*"], events),
          description: input.description ?? null,
          secret,
          confined_to: confinementOf(url, caller.guest, settings.webhooks),
          headers: storedHeaders(headers),
        });
        audit.record(caller, "webhook.created", id, status);
        return { ...resource(rows.find(caller.org, id)), secret };
      });
    },

    update(caller, id, input) {
      return store.transaction(() => {
        const row = rows.find(caller.org, id);
        const { is_active: active, ...checked }: WebhookUpdate = { ...input };
        if (input.url !== undefined) {
          checked.url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
          // A guest that sends the endpoint's present URL changes nothing.
          if (!caller.guest || checked.url !== row.url)
            rows.confine(id, confinementOf(checked.url, caller.guest, settings.webhooks));
        }
        if (input.events !== undefined)
          checked.events = readEvents(input.events, senderOf(row.sender).events);
        if (active === undefined || WRITABLE.some((field) => field in checked)) {
          const fields = updateFields<WebhookRow>(store, "webhooks", id, checked, WRITABLE, clock.now());
          rows.noteChange(id, "updated", fields.join(", "));
        }
        if (active !== undefined) switchTo(row, active);
        audit.record(caller, "webhook.updated", id, 200);
        return resource(rows.find(caller.org, id));
      });
    },

    delete(caller, id) {
      return store.transaction(() => {
        rows.find(caller.org, id);
        rows.delete(id);
        audit.record(caller, "webhook.deleted", id, 200);
        return { object: "webhook", id, deleted: true };
      });
    },
  };
}

/**
 * Checks an endpoint's subscriptions: event types, or `*` alone.
 * @param known the types of its sender
 * @returns the types, each once
 * @throws PlatformError invalid_field_value on events
 */
function readEvents(events: readonly string[], known: readonly string[]): string[] {
  if (events.length === 0)
    throw invalidField("events", 'events must name at least one event type, or be ["*"].');
  const unknown = events.find((event) => event !== "*" && !known.includes(event));
  if (unknown !== undefined)
    throw invalidField(
      "events",
      `events has the unknown type '${unknown.slice(0, 60)}'; it must be one of ${known.join(", ")} and *.`,
    );
  if (events.includes("*") && events.length > 1)
    throw invalidField("events", "events must be the single value * or a list of event types, not both.");
  return [...new Set(events)];
}
