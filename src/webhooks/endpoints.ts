import {
  afterChange,
  type DisabledReason,
  type EndpointChange,
  stateOf,
} from "../timeline/endpoint-state.ts";
import type { EngineContext } from "./context.ts";
import { notFound } from "./errors.ts";
import type { Plans } from "./plans.ts";
import type { WebhookRow } from "./rows.ts";
import { faultTarget } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

export type Endpoints = ReturnType<typeof createEndpoints>;

/** An endpoint to make. */
export type NewEndpoint = Pick<
  WebhookRow,
  "org" | "sender" | "url" | "description" | "secret" | "confined_to" | "headers"
> & { events: readonly string[] };

/**
 * An area's reaction to an endpoint that the policy disabled.
 * @param error why its last attempt failed
 */
export type Notify = (row: WebhookRow, failures: number, error: string | null) => void;

/** The rows of endpoints, and the changes of their state. */
export function createEndpoints(
  { world }: EngineContext,
  subscriptions: Subscriptions,
  plans: Plans,
  notifyDisabled: Notify,
) {
  const { store, ids, clock, journal } = world;
  const byId = store.sql<WebhookRow>("select * from webhooks where id = ?");
  const all = store.sql<WebhookRow>(
    "select * from webhooks where deleted_at is null order by org, created_at, id",
  );
  const newestEnabled = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and status = 'enabled' and deleted_at is null order by created_at desc, rowid desc limit 1",
  );
  const insert = store.sql(
    `insert into webhooks (id, org, sender, url, events, description, secret, status, consecutive_failures, created_at, updated_at, confined_to, headers)
     values (?, ?, ?, ?, ?, ?, ?, 'enabled', 0, ?, ?, ?, ?)`,
  );
  const confine = store.sql("update webhooks set confined_to = ? where id = ?");
  const writeSecret = store.sql("update webhooks set secret = ?, updated_at = ? where id = ?");
  const writeHeaders = store.sql("update webhooks set headers = ?, updated_at = ? where id = ?");
  const remove = store.sql("update webhooks set deleted_at = ?, updated_at = ? where id = ?");
  const setStatus = store.sql(
    `update webhooks set status = ?, consecutive_failures = ?, first_failed_at = ?, disabled_at = ?, disabled_reason = ?, updated_at = ?
     where id = ?`,
  );
  const change = store.sql(
    "insert into webhook_state_changes (webhook_id, change, reason, at) values (?, ?, ?, ?)",
  );

  /** Records each change of an endpoint: its timeline shows it, and the subscriptions are read again. */
  function noteChange(id: string, what: EndpointChange, reason: string | null): void {
    change.run(id, what, reason, clock.now());
    subscriptions.forget();
  }

  /** Writes the result of a change of an endpoint. */
  function move(row: WebhookRow, what: "disabled" | "enabled", reason: DisabledReason): void {
    const now = clock.now();
    const { status, consecutiveFailures, firstFailedAt } = afterChange(stateOf(row), what);
    const since = what === "disabled" ? now : null;
    const why = what === "disabled" ? reason : null;
    setStatus.run(status, consecutiveFailures, firstFailedAt, since, why, now, row.id);
    noteChange(row.id, what, reason);
  }

  return {
    noteChange,

    byId: (id: string): WebhookRow | undefined => byId.get(id),
    /** Every endpoint of the world that is not deleted. */
    all: () => all.all(),
    newestEnabled: (org: string): WebhookRow | undefined => newestEnabled.get(org),

    /** @throws Refusal resource_not_found */
    find(org: string, id: string): WebhookRow {
      const row = byId.get(id);
      if (!row || row.org !== org || row.deleted_at !== null) throw notFound("webhook", id);
      return row;
    },

    /** @param endpoint with a URL as `readEndpointUrl` returns it */
    create(endpoint: NewEndpoint): string {
      const { org, sender, url, events, description, secret, confined_to, headers } = endpoint;
      const id = ids.next("wh_");
      const now = clock.now();
      const names = JSON.stringify(events);
      insert.run(id, org, sender, url, names, description, secret, now, now, confined_to, headers);
      noteChange(id, "created", null);
      return id;
    },

    confine: (id: string, address: string | null): void => void confine.run(address, id),

    /** Later deliveries are signed with another secret. */
    setSecret(id: string, secret: string): void {
      writeSecret.run(secret, clock.now(), id);
      noteChange(id, "updated", "secret");
    },

    /** Later deliveries have other headers. */
    setHeaders(id: string, headers: string | null): void {
      writeHeaders.run(headers, clock.now(), id);
      noteChange(id, "updated", "headers");
    },

    /** Cancels planned retries, and preserves the history. */
    delete(id: string): void {
      const now = clock.now();
      remove.run(now, now, id);
      noteChange(id, "deleted", null);
      plans.skipWaiting(id, "deleted");
      world.faults.clear(faultTarget(id));
    },

    /** @param error why the last attempt failed, if the policy disables it */
    disable(row: WebhookRow, reason: DisabledReason, error: string | null = null): void {
      const { consecutive_failures: failures } = row;
      move(row, "disabled", reason);
      const about = { id: row.id, organization: row.org, reason, consecutive_failures: failures };
      journal.append("webhook.disabled", about);
      plans.skipWaiting(row.id, "disabled");
      if (reason === "consecutive_failures") notifyDisabled(row, failures, error);
    },

    enable(row: WebhookRow, reason: DisabledReason): void {
      move(row, "enabled", reason);
      journal.append("webhook.enabled", { id: row.id, organization: row.org });
    },
  };
}
