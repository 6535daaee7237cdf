import { DAY, iso } from "../world/duration.ts";
import type { Caller, PaymentsContext } from "./context.ts";
import { equal, listPage, type PageQuery } from "./listing.ts";
import { createSweep } from "./retention.ts";

/** How long audit events are retained, in virtual milliseconds. */
export const AUDIT_RETENTION = 90 * DAY;

export const AUDIT_EVENT_TYPES = [
  "payment_link.created",
  "payment_link.updated",
  "payment_link.deleted",
  "product.created",
  "product.updated",
  "product.deleted",
  "webhook.created",
  "webhook.updated",
  "webhook.deleted",
  "discount_code.created",
  "discount_code.updated",
  "discount_code.deleted",
  "widget.created",
  "widget.updated",
  "widget.deleted",
  "notification.updated",
  "api_key.created",
  "api_key.revoked",
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];

interface AuditRow {
  id: string;
  event_type: string;
  resource_type: string;
  resource_id: string;
  ip_address: string;
  request_method: string;
  request_path: string;
  status_code: number;
  created_at: number;
}

const AUDIT_COLUMNS = [
  "id",
  "org",
  "event_type",
  "resource_type",
  "resource_id",
  "ip_address",
  "request_method",
  "request_path",
  "status_code",
  "created_at",
] as const;

export type Audit = ReturnType<typeof createAudit>;

/** The audit trail: one event for each successful create, update, delete and revoke. */
export function createAudit({ world }: PaymentsContext) {
  const { store, ids, clock, journal } = world;
  const marks = AUDIT_COLUMNS.map(() => "?").join();
  const insert = store.sql(`insert into audit_events (${AUDIT_COLUMNS.join()}) values (${marks})`);
  const purge = store.sql("delete from audit_events where org = ? and created_at <= ?");
  const purgeAll = store.sql("delete from audit_events where created_at <= ?");
  const sweep = createSweep(world, DAY, (now) => void purgeAll.run(now - AUDIT_RETENTION));

  return {
    /** Records an action in the transaction that does it; the journal hears of it under the same name. */
    record(caller: Caller, type: AuditEventType, resourceId: string, statusCode: number): void {
      const resource = type.slice(0, type.indexOf("."));
      insert.run(
        ids.next("evt_"),
        caller.org,
        type,
        resource,
        resourceId,
        caller.ip,
        caller.method,
        caller.path,
        statusCode,
        clock.now(),
      );
      journal.append(type, { id: resourceId, organization: caller.org });
      sweep();
    },

    /** A page of an organization's trail, newest first. `from` and `to` are virtual milliseconds, inclusive. */
    list(
      org: string,
      query: PageQuery & { type?: string; resource_type?: string; from?: number; to?: number },
    ) {
      purge.run(org, clock.now() - AUDIT_RETENTION);
      return listPage(
        store,
        "audit_events",
        [
          ...equal({ org, event_type: query.type, resource_type: query.resource_type }),
          query.from === undefined ? undefined : ["created_at >= ?", query.from],
          query.to === undefined ? undefined : ["created_at <= ?", query.to],
        ],
        query,
        auditResource,
      );
    },
  };
}

function auditResource(row: AuditRow) {
  return {
    object: "event" as const,
    id: row.id,
    event_type: row.event_type,
    resource_type: row.resource_type,
    resource_id: row.resource_id,
    ip_address: row.ip_address,
    request_method: row.request_method,
    request_path: row.request_path,
    status_code: row.status_code,
    created_at: iso(row.created_at),
  };
}
