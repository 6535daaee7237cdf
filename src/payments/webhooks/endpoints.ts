import { misuse } from "../../errors/errors.ts";
import type { RowStatus } from "../../timeline/endpoint-state.ts";
import type { EngineContext } from "../../webhooks/context.ts";
import {
  type EndpointHeaders,
  headersProblem,
  readStoredHeaders,
  storedHeaders,
} from "../../webhooks/endpoint-headers.ts";
import { confinementOf, expandUrl, readEndpointUrl } from "../../webhooks/endpoint-url.ts";
import type { Endpoints } from "../../webhooks/endpoints.ts";
import type { WebhookRow } from "../../webhooks/rows.ts";
import { isoOrNull } from "../../world/duration.ts";
import type { Audit } from "../audit.ts";
import type { Caller, PaymentsContext } from "../context.ts";
import { invalidField, invalidTransition } from "../errors.ts";
import { listPage, type PageQuery } from "../listing.ts";
import { columnsOf, updateFields } from "../patch.ts";
import { presenter } from "../present.ts";
import { Webhook, type WebhookCreate, WebhookUpdate } from "../schemas/webhooks.ts";
import { PLATFORM_SENDER } from "./platform.ts";

export type WebhookEndpoints = ReturnType<typeof createWebhookEndpoints>;

const WRITABLE = columnsOf(WebhookUpdate, "is_active");

/** Fields of an endpoint's deliveries that only the dashboard can set. */
interface DeliveryChoice {
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

/** Webhook endpoints in the platform's API and dashboard. */
export function createWebhookEndpoints(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  endpoints: Endpoints,
  senderOf: EngineContext["senderOf"],
  audit: Audit,
) {
  const { store, random, clock } = world;

  const resource = presenter(Webhook, (row: WebhookRow) => ({
    url: expandUrl(row.url, origin()),
    events: JSON.parse(row.events) as string[],
    is_active: row.status === "enabled",
    failure_count: row.consecutive_failures,
    last_triggered_at: isoOrNull(row.last_delivery_at),
  }));

  /** Disables an endpoint by an update, or enables one that an update disabled; the dashboard enables all others. */
  function switchTo(row: WebhookRow, active: boolean): void {
    if (active === (row.status === "enabled")) return;
    if (!active) endpoints.turn(row, "disabled", "api");
    else if (row.disabled_reason === "api") endpoints.turn(row, "enabled", "api");
    else
      throw invalidTransition(
        `The endpoint was disabled ${row.disabled_reason === "dashboard" ? "in the dashboard" : `after ${row.consecutive_failures} failed deliveries`}. Enable it in the dashboard: POST /_sandbox/webhooks/${row.id}/enable.`,
        "is_active",
      );
  }

  return {
    resource,
    get: (org: string, id: string) => resource(endpoints.find(org, id)),

    /** Every endpoint of the world with its secret, for the dashboard. */
    listAll: () =>
      endpoints.all().map((row) => ({
        ...resource(row),
        organization: row.org,
        sender: row.sender,
        secret: row.secret,
        headers: { ...readStoredHeaders(row.headers) },
        threshold: senderOf(row.sender).policy.disableAfter.consecutive,
        seeded: row.seeded === 1,
      })),

    list(org: string, query: PageQuery) {
      return listPage(store, "webhooks", [["org = ?", org], ["deleted_at is null"]], query, resource);
    },

    /** Only this answer of the API contains the secret. @param choice fields that the API cannot set */
    create(
      caller: Caller,
      input: WebhookCreate,
      {
        secret: chosen = settings.webhooks.secret,
        status = 201,
        sender = PLATFORM_SENDER,
        headers,
      }: DashboardChoice = {},
    ) {
      return store.transaction(() => {
        const url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
        const { newSecret, events, headerNames } = senderOf(sender);
        if (headers) checkHeaders(headers, headerNames);
        if (chosen !== undefined) senderOf(sender).checkSecret?.(chosen);
        const secret = chosen ?? newSecret(random.bytes("webhook_secret"));
        const id = endpoints.create({
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
        return { ...resource(endpoints.find(caller.org, id)), secret };
      });
    },

    /** Dashboard action: makes later deliveries with another secret or other headers; equal ones change nothing. */
    setDelivery(caller: Caller, row: WebhookRow, { secret, headers }: DeliveryChoice): void {
      const sender = senderOf(row.sender);
      const set = (column: "secret" | "headers", value: string | null) => {
        endpoints.change(row.id, column, value);
        audit.record(caller, "webhook.updated", row.id, 200);
      };
      if (secret !== undefined && secret !== row.secret) {
        sender.checkSecret?.(secret);
        set("secret", secret);
      }
      if (headers !== undefined && storedHeaders(headers) !== row.headers) {
        checkHeaders(headers, sender.headerNames);
        set("headers", storedHeaders(headers));
      }
    },

    update(caller: Caller, id: string, input: WebhookUpdate) {
      return store.transaction(() => {
        const row = endpoints.find(caller.org, id);
        const { is_active: active, ...checked }: WebhookUpdate = { ...input };
        if (input.url !== undefined) {
          checked.url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
          // A guest that sends the endpoint's present URL changes nothing.
          if (!caller.guest || checked.url !== row.url)
            endpoints.confine(id, confinementOf(checked.url, caller.guest, settings.webhooks));
        }
        if (input.events !== undefined)
          checked.events = readEvents(input.events, senderOf(row.sender).events);
        if (active === undefined || WRITABLE.some((field) => field in checked)) {
          const fields = updateFields<WebhookRow>(store, "webhooks", id, checked, WRITABLE, clock.now());
          endpoints.noteChange(id, "updated", fields.join(", "));
        }
        if (active !== undefined) switchTo(row, active);
        audit.record(caller, "webhook.updated", id, 200);
        return resource(endpoints.find(caller.org, id));
      });
    },

    /** Cancels planned retries, and preserves the history. */
    delete(caller: Caller, id: string) {
      return store.transaction(() => {
        endpoints.find(caller.org, id);
        endpoints.delete(id);
        audit.record(caller, "webhook.deleted", id, 200);
        return { object: "webhook" as const, id, deleted: true as const };
      });
    },

    /** Dashboard action. Disabling skips planned attempts; enabling resets the failure counter to 0, and brings none back. */
    turn(caller: Caller, row: WebhookRow, to: RowStatus): void {
      endpoints.turn(row, to, "dashboard");
      audit.record(caller, "webhook.updated", row.id, 200);
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

/** @throws SandboxError `bad_request` */
function checkHeaders(headers: EndpointHeaders, taken: readonly string[]): void {
  const problem = headersProblem(headers, taken);
  if (problem)
    throw misuse(
      `${problem.field} must be ${problem.expected}, not ${JSON.stringify(problem.value)}.`,
      problem.hint,
      problem.field,
    );
}
