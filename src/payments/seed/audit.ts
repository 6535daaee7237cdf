import { DAY, MINUTE } from "../../world/duration.ts";
import type { AuditEventType } from "../audit.ts";
import type { ApiKeyRow } from "../rows.ts";
import { MAIN_ORGANIZATION } from "./organizations.ts";
import { type AuditNote, type Seeding, weighted } from "./seeding.ts";

/** `/api/v1/payment-links` of `payment_link`. */
const pathOf = (resource: string): string => `/api/v1/${resource.replace("_", "-")}s`;

const REQUESTS: Record<string, { method: string; status: number }> = {
  created: { method: "POST", status: 201 },
  updated: { method: "PATCH", status: 200 },
  deleted: { method: "DELETE", status: 200 },
  revoked: { method: "DELETE", status: 200 },
};

/** Where calls come from: a shop's server, its office, an employee at home. Documentation ranges (RFC 5737). */
const CALLERS = {
  main: [
    { weight: 11, value: "203.0.113.14" },
    { weight: 5, value: "198.51.100.7" },
    { weight: 2, value: "198.51.100.93" },
    { weight: 2, value: "192.0.2.188" },
  ],
  other: [
    { weight: 3, value: "203.0.113.201" },
    { weight: 1, value: "192.0.2.45" },
  ],
} as const;

/** Writes the audit trail: what the parts of the seed noted, and what was done to keys and notifications. */
export function seedAudit(seeding: Seeding): void {
  const { world, save } = seeding;
  const notes = [...seeding.trail, ...keyNotes(seeding), ...notificationNotes(seeding)].sort(
    (a, b) => a.at - b.at,
  );
  for (const { org, type, resourceId, at } of notes) {
    const { method, status, path } = request(type, resourceId);
    save("audit_events", {
      id: world.ids.next("evt_"),
      org,
      event_type: type,
      resource_type: type.slice(0, type.indexOf(".")),
      resource_id: resourceId,
      ip_address: weighted(seeding, org === MAIN_ORGANIZATION ? CALLERS.main : CALLERS.other),
      request_method: method,
      request_path: path,
      status_code: status,
      created_at: at,
    });
  }
}

function request(type: AuditEventType, resourceId: string): { method: string; status: number; path: string } {
  const [resource, action] = type.split(".") as [string, string];
  const single = action === "created" || resource === "notification";
  return { ...REQUESTS[action]!, path: single ? pathOf(resource) : `${pathOf(resource)}/${resourceId}` };
}

function keyNotes({ world }: Seeding): AuditNote[] {
  const keys = world.store.sql<ApiKeyRow>("select * from api_keys order by created_at, hash").all();
  return keys.flatMap(({ id, org, created_at, revoked_at }) => [
    { org, type: "api_key.created" as const, resourceId: id, at: created_at },
    ...(revoked_at === null
      ? []
      : [{ org, type: "api_key.revoked" as const, resourceId: id, at: revoked_at }]),
  ]);
}

/** The owner tried what it is like without e-mails, and thought better of it. */
function notificationNotes({ world, start }: Seeding): AuditNote[] {
  const org = MAIN_ORGANIZATION;
  const times = [start + 41 * DAY + 37 * MINUTE, start + 64 * DAY, start + 64 * DAY + 6 * MINUTE];
  world.store.sql("update notification_settings set updated_at = ? where org = ?").run(times.at(-1)!, org);
  return times.map((at) => ({ org, type: "notification.updated" as const, resourceId: org, at }));
}
