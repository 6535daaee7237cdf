import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import { equal, type ListQuery, listPage, type Page } from "../http/listing.ts";
import { DAY } from "../world/duration.ts";
import { inserter } from "../world/save.ts";
import type { PaymentsContext } from "./context.ts";
import { asInstant } from "./patch.ts";
import { presenter } from "./present.ts";
import { createSweep } from "./retention.ts";
import type { AuditRow } from "./rows.ts";
import { AuditEvent, type AuditEventQuery } from "./schemas/account.ts";
import type { AuditEventType } from "./words.ts";

/** How long audit events are retained, in virtual milliseconds. */
export const AUDIT_RETENTION = 90 * DAY;

const auditResource = presenter<typeof AuditEvent.properties, AuditRow>(AuditEvent);

type Note = (caller: Caller, type: AuditEventType, resourceId: string, statusCode: number) => void;

/** The audit trail, with one event for each successful create, update, delete and revoke. */
export interface Audit {
  /** Records an action in its transaction, and adds a journal entry with the same name. */
  record: Note;
  /** Records an action without a journal entry, because the webhook engine appends the entry. */
  note: Note;
  /** A page of an organization's trail, newest first. `from` and `to` are inclusive. */
  list(org: string, query: ListQuery<typeof AuditEventQuery>): Page<Static<typeof AuditEvent>>;
}

export function createAudit({ world }: PaymentsContext): Audit {
  const { store, ids, clock, journal } = world;
  const insert = inserter<AuditRow>(store, "audit_events");
  const purge = store.sql("delete from audit_events where org = ? and created_at <= ?");
  const purgeAll = store.sql("delete from audit_events where created_at <= ?");
  const sweep = createSweep(world, DAY, (now) => void purgeAll.run(now - AUDIT_RETENTION));

  const note: Note = (caller, type, resourceId, statusCode) => {
    insert({
      id: ids.next("evt_"),
      org: caller.org,
      event_type: type,
      resource_type: type.slice(0, type.indexOf(".")),
      resource_id: resourceId,
      ip_address: caller.ip,
      request_method: caller.method,
      request_path: caller.path,
      status_code: statusCode,
      created_at: clock.now(),
    });
    sweep();
  };

  return {
    note,

    record(caller, type, resourceId, statusCode) {
      note(caller, type, resourceId, statusCode);
      journal.append(type, { id: resourceId, organization: caller.org });
    },

    list(org, query) {
      purge.run(org, clock.now() - AUDIT_RETENTION);
      return listPage(
        store,
        "audit_events",
        [
          ...equal({ org, event_type: query.type, resource_type: query.resource_type }),
          query.from === undefined ? undefined : ["created_at >= ?", asInstant(query.from)],
          query.to === undefined ? undefined : ["created_at <= ?", asInstant(query.to)],
        ],
        query,
        auditResource,
      );
    },
  };
}
