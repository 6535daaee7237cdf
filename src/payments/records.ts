import type { World } from "../world/world.ts";
import type { Audit } from "./audit.ts";
import type { Caller } from "./context.ts";
import { notFound } from "./errors.ts";

/**
 * What products, links, discount codes and widgets have in common: rows of an organization, whose changes are in the audit
 * trail.
 * @param kind as the audit trail names it
 * @param object as an answer names it; the same by default
 */
export function createRecords<Row>(
  { store }: World,
  audit: Audit,
  kind: "product" | "payment_link" | "discount_code" | "widget",
  object: string = kind,
) {
  const byId = store.sql<Row>(`select * from ${kind}s where id = ? and org = ?`);
  const remove = store.sql(`delete from ${kind}s where id = ?`);

  /** @throws PlatformError resource_not_found, naming the field `param` that asked for it */
  function find(org: string, id: string, param?: string): Row {
    const row = byId.get(id, org);
    if (!row) throw notFound(kind.replace("_", " "), id, param);
    return row;
  }

  return {
    find,

    /** Makes a change to a row in a transaction. @returns the row as it is then */
    update(caller: Caller, id: string, change: (row: Row) => void): Row {
      return store.transaction(() => {
        change(find(caller.org, id));
        audit.record(caller, `${kind}.updated`, id, 200);
        return find(caller.org, id);
      });
    },

    /** @param also deletes what goes with it */
    delete(caller: Caller, id: string, also: () => void = () => undefined) {
      return store.transaction(() => {
        find(caller.org, id);
        remove.run(id);
        also();
        audit.record(caller, `${kind}.deleted`, id, 200);
        return { object, id, deleted: true as const };
      });
    },
  };
}
