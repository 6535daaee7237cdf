import { inserter, type NewRow } from "../world/save.ts";
import type { World } from "../world/world.ts";
import type { Audit } from "./audit.ts";
import type { Caller } from "./context.ts";
import { notFound } from "./errors.ts";
import { type Aliases, asColumn, resolveAliases, updateFields } from "./patch.ts";

/** The common part of products, links, discount codes and widgets: rows of an organization with an audit trail. */
interface RecordSpec<Row> {
  /** The name in the audit trail. */
  kind: "product" | "payment_link" | "discount_code" | "widget";
  /** The resource's name in an answer; by default, the same. */
  object?: string;
  /** The prefix of its ids. */
  prefix: string;
  /** The columns that a request can write. */
  writable: readonly (keyof Row & string)[];
  /** Other names of fields. */
  names: Readonly<Record<string, string>>;
  /** The stream of a short code, which is drawn for a new row without one. */
  codes?: string;
}

interface Owned {
  id: string;
  org: string;
  created_at: number;
  updated_at: number;
}

export function createRecords<Row extends Owned>(
  { store, ids, clock }: World,
  audit: Audit,
  { kind, object = kind, prefix, writable, names, codes }: RecordSpec<Row>,
) {
  const byId = store.sql<Row>(`select * from ${kind}s where id = ? and org = ?`);
  const remove = store.sql(`delete from ${kind}s where id = ?`);
  const insert = inserter<Row>(
    store,
    `${kind}s`,
    codes === undefined ? undefined : ("short_code" as keyof Row & string),
  );

  /** @throws PlatformError resource_not_found, naming the field `param` that asked for it */
  function find(org: string, id: string, param?: string): Row {
    const row = byId.get(id, org);
    if (!row) throw notFound(kind.replace("_", " "), id, param);
    return row;
  }

  return {
    find,

    /**
     * Makes a row in the caller's transaction.
     * @param defaults of optional fields
     * @param more columns that no request writes
     */
    add(caller: Caller, input: object, defaults: object, more: Partial<Row> = {}): Row {
      const id = ids.next(prefix);
      const now = clock.now();
      const named: Record<string, unknown> = {
        ...defaults,
        ...resolveAliases(input, names as Aliases<object>),
      };
      const columns = Object.fromEntries(writable.map((name) => [name, asColumn(name, named[name])]));
      const own = { id, org: caller.org, created_at: now, updated_at: now };
      const drawn = () => (codes === undefined || named.short_code ? {} : { short_code: ids.code(codes, 6) });
      while (!insert({ ...columns, ...more, ...own, ...drawn() } as unknown as NewRow<Row>));
      audit.record(caller, `${kind}.created`, id, 201);
      return find(caller.org, id);
    },

    /** Changes a row. @param check refuses inconsistent changes, and may replace the fields to write */
    update(
      caller: Caller,
      id: string,
      input: object,
      check?: (row: Row, named: object) => object | undefined,
    ): Row {
      return store.transaction(() => {
        const named = resolveAliases(input, names as Aliases<object>);
        const row = find(caller.org, id);
        const fields = check?.(row, named) ?? named;
        updateFields<Row>(store, `${kind}s`, id, fields, writable, clock.now());
        audit.record(caller, `${kind}.updated`, id, 200);
        return find(caller.org, id);
      });
    },

    /** @param also deletes rows that belong to it */
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
