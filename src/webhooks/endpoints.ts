import {
  afterChange,
  type DisabledReason,
  type EndpointChange,
  type RowStatus,
  stateOf,
} from "../timeline/endpoint-state.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { EngineContext } from "./context.ts";
import { expandUrl } from "./endpoint-url.ts";
import { notFound } from "./errors.ts";
import type { Plans } from "./plans.ts";
import type { WebhookRow } from "./rows.ts";
import type { Webhook } from "./schemas.ts";
import { faultTarget } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** The endpoints of all accounts. */
export interface Endpoints {
  /**
   * Must be called after every change to an endpoint: records it for the timeline, and invalidates cached subscriptions.
   */
  noteChange(id: string, what: EndpointChange, reason: string | null): void;
  byId(id: string): WebhookRow | undefined;
  /** All endpoints of the world, except deleted ones. */
  all(): WebhookRow[];
  newestEnabled(org: string): WebhookRow | undefined;
  /** @throws Refusal resource_not_found */
  find(org: string, id: string): WebhookRow;
  /** @param endpoint with a URL as `readEndpointUrl` returns it @returns its id */
  create(endpoint: NewEndpoint): string;
  /** An endpoint as the API returns it. */
  resource(row: WebhookRow): Webhook;
  /** Updates columns that affect later deliveries. */
  change(id: string, columns: EndpointColumns): void;
  /** Cancels pending attempts, and preserves the history. */
  delete(id: string): void;
  /** Changes an endpoint's state, and updates its planned retries. @param error why its last attempt failed */
  turn(row: WebhookRow, to: RowStatus, reason: DisabledReason, error?: string | null): void;
}

export type NewEndpoint = Pick<
  WebhookRow,
  "org" | "sender" | "url" | "description" | "secret" | "confined_to" | "headers"
> & { events: readonly string[] };

/** The columns of an endpoint that requests can write. */
export type EndpointColumns = Partial<
  Pick<WebhookRow, "url" | "events" | "description" | "secret" | "headers" | "confined_to">
>;

const endpointResource = (row: WebhookRow, origin: string): Webhook => ({
  object: "webhook",
  id: row.id,
  url: expandUrl(row.url, origin),
  events: JSON.parse(row.events),
  description: row.description,
  status: row.status,
  is_active: row.status === "enabled",
  consecutive_failures: row.consecutive_failures,
  failure_count: row.consecutive_failures,
  disabled_at: isoOrNull(row.disabled_at),
  disabled_reason: row.disabled_reason,
  last_delivery_at: isoOrNull(row.last_delivery_at),
  last_triggered_at: isoOrNull(row.last_delivery_at),
  created_at: iso(row.created_at),
  updated_at: iso(row.updated_at),
});

export function createEndpoints(
  { world, origin, senders }: EngineContext,
  subscriptions: Subscriptions,
  plans: Plans,
): Endpoints {
  const { store, ids, clock, journal } = world;
  const byId = store.sql<WebhookRow>("select * from webhooks where id = ?");
  const all = store.sql<WebhookRow>(
    "select * from webhooks where deleted_at is null order by org, created_at, id",
  );
  const newestEnabled = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and status = 'enabled' and deleted_at is null order by created_at desc, rowid desc limit 1",
  );
  const insert = inserter<
    WebhookRow,
    "first_failed_at" | "disabled_at" | "disabled_reason" | "last_delivery_at" | "deleted_at"
  >(store, "webhooks");
  const remove = store.sql("update webhooks set deleted_at = ?, updated_at = ? where id = ?");
  const setStatus = store.sql(
    `update webhooks set status = ?, consecutive_failures = ?, first_failed_at = ?, disabled_at = ?, disabled_reason = ?, updated_at = ?
     where id = ?`,
  );
  const noted = store.sql(
    "insert into webhook_state_changes (webhook_id, change, reason, at) values (?, ?, ?, ?)",
  );

  function noteChange(id: string, what: EndpointChange, reason: string | null): void {
    noted.run(id, what, reason, clock.now());
    subscriptions.forget();
  }

  return {
    noteChange,

    byId: (id) => byId.get(id),
    all: () => all.all(),
    newestEnabled: (org) => newestEnabled.get(org),

    find(org, id) {
      const row = byId.get(id);
      if (!row || row.org !== org || row.deleted_at !== null) throw notFound("webhook", id);
      return row;
    },

    create({ events, ...endpoint }) {
      const id = ids.next("wh_");
      const now = clock.now();
      insert({
        ...endpoint,
        id,
        events: JSON.stringify(events),
        status: "enabled",
        consecutive_failures: 0,
        created_at: now,
        updated_at: now,
        seeded: 0,
      });
      noteChange(id, "created", null);
      return id;
    },

    resource: (row) => endpointResource(row, origin()),

    change(id, columns) {
      const names = Object.keys(columns);
      const assignments = names.map((name) => `${name} = ?`).join(", ");
      const write = store.sql(`update webhooks set ${assignments}, updated_at = ? where id = ?`);
      write.run(...Object.values(columns), clock.now(), id);
      noteChange(id, "updated", names.filter((name) => name !== "confined_to").join(", "));
    },

    delete(id) {
      const now = clock.now();
      remove.run(now, now, id);
      noteChange(id, "deleted", null);
      plans.skipWaiting(id, "deleted");
      world.faults.clear(faultTarget(id));
    },

    turn(row, to, reason, error = null) {
      const now = clock.now();
      const { status, consecutiveFailures, firstFailedAt } = afterChange(stateOf(row), to);
      const [since, why] = to === "enabled" ? [null, null] : [now, reason];
      setStatus.run(status, consecutiveFailures, firstFailedAt, since, why, now, row.id);
      noteChange(row.id, to, reason);
      const about = { id: row.id, organization: row.org };
      const off = { ...about, reason, consecutive_failures: row.consecutive_failures };
      journal.append(`webhook.${to}`, to === "enabled" ? about : off);
      plans.skipWaiting(row.id, to);
      if (reason === "consecutive_failures")
        senders.joined(row.sender).notifyDisabled?.(row, row.consecutive_failures, error);
    },
  };
}
