import type { Audit } from "../payments/audit.ts";
import type { Caller, PaymentsContext } from "../payments/context.ts";
import { invalidTransition, notFound } from "../payments/errors.ts";
import { listPage, type PageQuery } from "../payments/listing.ts";
import type { Mail } from "../payments/mail.ts";
import type { Organizations } from "../payments/organizations.ts";
import { asIs, asJson, type Columns, updateFields } from "../payments/patch.ts";
import type { WebhookRow } from "../payments/rows.ts";
import type { WebhookCreate, WebhookUpdate } from "../payments/schemas/webhooks.ts";
import type { EventType } from "../payments/webhooks/event-types.ts";
import { readEvents } from "../payments/webhooks/read-events.ts";
import { iso, isoOrNull } from "../world/duration.ts";
import { confinementOf, expandUrl, readEndpointUrl } from "./endpoint-url.ts";
import type { Plans } from "./plans.ts";
import { faultTarget } from "./subscriber-faults.ts";
import type { Subscriptions } from "./subscriptions.ts";

export type Endpoints = ReturnType<typeof createEndpoints>;

/** What is done to an endpoint, as its timeline names it. */
export type EndpointChange = "created" | "updated" | "disabled" | "enabled" | "deleted";

/** Who disabled or enabled an endpoint by hand: the owner in the dashboard, or a caller of the API. */
export type ManualReason = "dashboard" | "api";

const WRITABLE: Columns<WebhookUpdate> = { url: asIs, events: asJson, description: asIs };

/** Webhook endpoints: what a caller and the dashboard do to them. */
export function createEndpoints(
  { world, settings, origin, ownOrigin }: PaymentsContext,
  organizations: Organizations,
  audit: Audit,
  mail: Mail,
  subscriptions: Subscriptions,
  plans: Plans,
) {
  const { store, ids, random, clock, journal } = world;
  const byId = store.sql<WebhookRow>("select * from webhooks where id = ?");
  const all = store.sql<WebhookRow>(
    "select * from webhooks where deleted_at is null order by org, created_at, id",
  );
  const newestEnabled = store.sql<WebhookRow>(
    "select * from webhooks where org = ? and status = 'enabled' and deleted_at is null order by created_at desc, rowid desc limit 1",
  );
  const insert = store.sql(
    `insert into webhooks (id, org, url, events, description, secret, status, consecutive_failures, created_at, updated_at, confined_to)
     values (?, ?, ?, ?, ?, ?, 'enabled', 0, ?, ?, ?)`,
  );
  const confine = store.sql("update webhooks set confined_to = ? where id = ?");
  const writeSecret = store.sql("update webhooks set secret = ?, updated_at = ? where id = ?");
  const remove = store.sql("update webhooks set deleted_at = ?, updated_at = ? where id = ?");
  const setStatus = store.sql(
    `update webhooks set status = ?, consecutive_failures = ?, disabled_at = ?, disabled_reason = ?, updated_at = ? where id = ?`,
  );
  const change = store.sql(
    "insert into webhook_state_changes (webhook_id, change, reason, at) values (?, ?, ?, ?)",
  );

  /** Every change of an endpoint goes through here: its timeline shows it, and the subscriptions are read again. */
  function noteChange(id: string, what: EndpointChange, reason: string | null, at: number): void {
    change.run(id, what, reason, at);
    subscriptions.forget();
  }

  function find(org: string, id: string): WebhookRow {
    const row = byId.get(id);
    if (!row || row.org !== org || row.deleted_at !== null) throw notFound("webhook", id);
    return row;
  }

  function resource(row: WebhookRow) {
    return {
      object: "webhook" as const,
      id: row.id,
      url: expandUrl(row.url, origin()),
      events: JSON.parse(row.events) as (EventType | "*")[],
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
    };
  }

  /** Disables an endpoint; `consecutive_failures` also writes the one e-mail to the owner. */
  function disable(
    row: WebhookRow,
    reason: "consecutive_failures" | ManualReason,
    failures: number,
    lastError: string | null,
  ): void {
    const now = clock.now();
    setStatus.run("disabled", failures, now, reason, now, row.id);
    noteChange(row.id, "disabled", reason, now);
    journal.append("webhook.disabled", {
      id: row.id,
      organization: row.org,
      reason,
      consecutive_failures: failures,
    });
    plans.skipWaiting(row.id, "endpoint_disabled");
    if (reason === "consecutive_failures") {
      mail.endpointDisabled(organizations.get(row.org), {
        id: row.id,
        url: expandUrl(row.url, origin()),
        failures,
        lastError,
        timeout: settings.webhooks.timeout,
      });
    }
  }

  function enable(row: WebhookRow, reason: ManualReason): void {
    const now = clock.now();
    setStatus.run("enabled", 0, null, null, now, row.id);
    noteChange(row.id, "enabled", reason, now);
    journal.append("webhook.enabled", { id: row.id, organization: row.org });
  }

  /** Disables an endpoint by an update, or enables one that an update disabled: all others are for the dashboard. */
  function switchTo(row: WebhookRow, active: boolean): void {
    if (active === (row.status === "enabled")) return;
    if (!active) disable(row, "api", row.consecutive_failures, null);
    else if (row.disabled_reason === "api") enable(row, "api");
    else
      throw invalidTransition(
        `The endpoint was disabled ${row.disabled_reason === "dashboard" ? "in the dashboard" : `after ${row.consecutive_failures} failed deliveries`}. Enable it in the dashboard: POST /_sandbox/webhooks/${row.id}/enable.`,
        "is_active",
      );
  }

  return {
    find,
    resource,
    byId: (id: string): WebhookRow | undefined => byId.get(id),
    get: (org: string, id: string) => resource(find(org, id)),

    /** Every endpoint of the world, with its secret: what the dashboard shows. */
    listAll: () =>
      all.all().map((row) => ({
        ...resource(row),
        organization: row.org,
        secret: row.secret,
        threshold: settings.webhooks.disableAfter.consecutive,
        seeded: row.seeded === 1,
      })),

    newestEnabled: (org: string): WebhookRow | undefined => newestEnabled.get(org),

    list(org: string, query: PageQuery) {
      return listPage(store, "webhooks", [["org = ?", org], ["deleted_at is null"]], query, resource);
    },

    /**
     * The answer is the only place of the API that shows the secret.
     * @param chosen the secret; by default the configured one, or one that is drawn
     * @param status what the call answers
     */
    create(caller: Caller, input: WebhookCreate, chosen = settings.webhooks.secret, status = 201) {
      return store.transaction(() => {
        const url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
        const events = readEvents(input.events ?? ["*"]);
        const id = ids.next("wh_");
        const secret = chosen ?? `whsec_${random.bytes("webhook_secret").toString("hex")}`;
        const now = clock.now();
        const description = input.description ?? null;
        const confinedTo = confinementOf(url, caller.guest, settings.webhooks);
        insert.run(id, caller.org, url, JSON.stringify(events), description, secret, now, now, confinedTo);
        noteChange(id, "created", null, now);
        audit.record(caller, "webhook.created", id, status);
        return { ...resource(find(caller.org, id)), secret };
      });
    },

    /** Dashboard action: what is sent from now on is signed with another secret. */
    setSecret(caller: Caller, id: string, secret: string): void {
      const now = clock.now();
      writeSecret.run(secret, now, id);
      noteChange(id, "updated", "secret", now);
      audit.record(caller, "webhook.updated", id, 200);
    },

    update(caller: Caller, id: string, input: WebhookUpdate) {
      return store.transaction(() => {
        const row = find(caller.org, id);
        const { is_active: active, ...checked }: WebhookUpdate = { ...input };
        if (input.url !== undefined) {
          checked.url = readEndpointUrl(input.url, settings.webhooks, [origin(), ownOrigin()]);
          // A guest who sends the URL that the endpoint has changes nothing.
          if (!caller.guest || checked.url !== row.url)
            confine.run(confinementOf(checked.url, caller.guest, settings.webhooks), id);
        }
        if (input.events !== undefined) checked.events = readEvents(input.events);
        if (active === undefined || Object.keys(WRITABLE).some((field) => field in checked)) {
          const fields = updateFields(store, "webhooks", id, checked, WRITABLE, clock.now());
          noteChange(id, "updated", fields.join(", "), clock.now());
        }
        if (active !== undefined) switchTo(row, active);
        audit.record(caller, "webhook.updated", id, 200);
        return resource(find(caller.org, id));
      });
    },

    /** Cancels what is pending and keeps the history. */
    delete(caller: Caller, id: string) {
      return store.transaction(() => {
        find(caller.org, id);
        const now = clock.now();
        remove.run(now, now, id);
        noteChange(id, "deleted", null, now);
        plans.skipWaiting(id, "endpoint_deleted");
        world.faults.clear(faultTarget(id));
        audit.record(caller, "webhook.deleted", id, 200);
        return { object: "webhook" as const, id, deleted: true as const };
      });
    },

    disable,

    /** Dashboard action: the counter starts again from 0, and nothing that was skipped comes back. */
    enable(caller: Caller, row: WebhookRow): void {
      enable(row, "dashboard");
      audit.record(caller, "webhook.updated", row.id, 200);
    },
  };
}
