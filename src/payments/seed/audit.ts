import { createSave } from "../../world/save.ts";
import { MAIN_ORGANIZATION } from "./organizations.ts";
import type { Seeding } from "./seeding.ts";

/** An action by a person on a resource. */
interface Action {
  org: string;
  resource: string;
  id: string;
  action: keyof typeof METHODS;
  at: number;
}

const METHODS = { created: "POST", updated: "PATCH", deleted: "DELETE", revoked: "DELETE" } as const;

/** The IP addresses of callers, from the ranges reserved for documentation (RFC 5737). */
const CALLERS = ["203.0.113.14", "198.51.100.7", "198.51.100.93", "192.0.2.188"];

/** Actions on resources that still exist, including the deactivation of inactive ones. */
const DONE = [
  ...["payment_link", "product", "discount_code", "widget", "webhook", "api_key"].map(
    (resource) =>
      `select org, '${resource}' as resource, id, 'created' as action, created_at as at from ${resource}s`,
  ),
  ...["payment_link", "product", "discount_code", "widget"].map(
    (resource) => `select org, '${resource}', id, 'updated', updated_at from ${resource}s where active = 0`,
  ),
  "select org, 'api_key', id, 'revoked', revoked_at from api_keys where revoked_at is not null",
].join(" union all ");

/** Deleted resources, by id prefix. Only the audit trail still mentions them. */
const DELETED = {
  payment_link: "pl_",
  discount_code: "disc_",
  product: "prod_",
  widget: "wid_",
  webhook: "wh_",
};

/** Writes the audit trail, after all other rows exist. */
export function seedAudit({ world: { store, ids }, draws, at }: Seeding): void {
  const org = MAIN_ORGANIZATION;
  const deleted = Object.entries(DELETED).flatMap(([resource, prefix], index): Action[] => {
    const gone = { org, resource, id: ids.next(prefix) };
    return [
      { ...gone, action: "created", at: at(0.1 + index / 10) },
      { ...gone, action: "deleted", at: at(0.3 + index / 10) },
    ];
  });
  const actions: Action[] = [
    ...store.sql<Action>(`${DONE} order by at, id`).all(),
    ...deleted,
    { org, resource: "notification", id: org, action: "updated", at: at(0.3) },
  ];
  const save = createSave(store);
  for (const { org, resource, id, action, at } of actions.sort((a, b) => a.at - b.at)) {
    const path = `/api/v1/${resource.replace("_", "-")}s`;
    save("audit_events", {
      id: ids.next("evt_"),
      org,
      event_type: `${resource}.${action}`,
      resource_type: resource,
      resource_id: id,
      ip_address: draws.pickEarly(CALLERS),
      request_method: METHODS[action],
      request_path: action === "created" || resource === "notification" ? path : `${path}/${id}`,
      status_code: action === "created" ? 201 : 200,
      created_at: at,
    });
  }
}
