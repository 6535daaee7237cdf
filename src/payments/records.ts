import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import {
  type Condition,
  equal,
  type ListQuery,
  listPage,
  type Page,
  type PageQuery,
} from "../http/listing.ts";
import { inserter, type NewRow } from "../world/save.ts";
import type { SqlValue } from "../world/store.ts";
import type { World } from "../world/world.ts";
import { notFound } from "./errors.ts";
import { type Aliases, asColumn, columnsOf, resolveAliases, updateFields } from "./patch.ts";
import type { ResourceSchemas } from "./schemas/common.ts";

/**
 * The operations that most resources share. Each operation acts for one organization, which sees and changes only its
 * own rows. All throw PlatformError: resource_not_found for an unknown id, and the errors in docs/fidelity.md,
 * "Payments platform". Each change is recorded in the audit trail or the journal.
 */
export interface Resource<Schemas extends ResourceSchemas> {
  list(org: string, query: ListQuery<Schemas["query"]>): Page<Static<Schemas["item"]>>;
  create(caller: Caller, input: Static<Schemas["create"]>): Static<Schemas["item"]>;
  get(org: string, id: string): Static<Schemas["item"]>;
  /** @throws PlatformError no_updates_provided for a body without fields */
  update(caller: Caller, id: string, input: Static<Schemas["update"]>): Static<Schemas["item"]>;
  delete(caller: Caller, id: string): { object: string; id: string; deleted: true };
}

/**
 * The description of a kind of resource. Products, links, discount codes, widgets and customers share it: they are rows
 * of an organization, and changes to them are recorded.
 */
interface RecordSpec<Kind, Row, Schemas extends ResourceSchemas> {
  /** The name used in the audit trail. */
  kind: Kind;
  /** The resource's name in responses; defaults to `kind`. */
  object?: string;
  prefix: string;
  /**
   * The resource's schemas. Each field is a column: `update` lists the fields that can be written, `query` those that
   * lists can be filtered by.
   */
  schemas: Schemas;
  /** Aliases for fields. */
  names?: Readonly<Record<string, string>>;
  /** A field in `update` that is not a column. */
  computed?: string;
  /** Converts a row for a response. */
  show: (row: Row) => Static<Schemas["item"]>;
  /** The condition for rows that contain the search text literally. */
  search?: (text: string) => Condition;
  /** The random stream from which short codes are drawn for new rows that have none. */
  codes?: string;
}

interface Owned {
  id: string;
  org: string;
  created_at: number;
  updated_at: number;
}

/** Where each change is recorded: in the audit trail, or only in the journal. */
interface Trail<Kind extends string> {
  record(
    caller: Caller,
    type: `${Kind}.${"created" | "updated" | "deleted"}`,
    id: string,
    status: number,
  ): void;
}

/** Query fields of a list that are not columns. */
const PAGING = ["page", "limit", "sort", "order", "search"];

export function createRecords<Kind extends string, Row extends Owned, Schemas extends ResourceSchemas>(
  { store, ids, clock }: World,
  trail: Trail<NoInfer<Kind>>,
  spec: RecordSpec<Kind, Row, Schemas>,
) {
  const { kind, object = kind, prefix, schemas, names = {}, computed, show, search, codes } = spec;
  type Item = Static<Schemas["item"]>;
  const filters = columnsOf(schemas.query, ...PAGING);
  const writable = columnsOf(schemas.update, ...Object.keys(names), computed ?? "") as (keyof Row & string)[];
  const byId = store.sql<Row>(`select * from ${kind}s where id = ? and org = ?`);
  const remove = store.sql(`delete from ${kind}s where id = ?`);
  const insert = inserter<Row>(
    store,
    `${kind}s`,
    codes === undefined ? undefined : ("short_code" as keyof Row & string),
  );

  /** @throws PlatformError resource_not_found, with the body field that contains the id in `param` */
  function find(org: string, id: string, param?: string): Row {
    const row = byId.get(id, org);
    if (!row) throw notFound(kind.replace("_", " "), id, param);
    return row;
  }

  const get = (org: string, id: string): Item => show(find(org, id));

  return {
    find,
    get,

    list(org: string, query: PageQuery & { search?: string }): Page<Item> {
      const asked = query as PageQuery & Record<string, SqlValue>;
      const wanted = Object.fromEntries(filters.map((column) => [column, asked[column]]));
      const found = query.search === undefined ? undefined : search?.(query.search);
      return listPage(store, `${kind}s`, [...equal({ org, ...wanted }), found], query, show);
    },

    /**
     * Creates a row.
     * @param defaults the values of optional fields that are missing
     * @param more columns that requests cannot write
     */
    add(caller: Caller, input: object, defaults: object, more: Partial<Row> = {}): Item {
      return store.transaction(() => {
        const id = ids.next(prefix);
        const now = clock.now();
        const named: Record<string, unknown> = {
          ...defaults,
          ...resolveAliases(input, names as Aliases<object>),
        };
        const columns = Object.fromEntries(writable.map((name) => [name, asColumn(name, named[name])]));
        const own = { id, org: caller.org, created_at: now, updated_at: now };
        const drawn = () =>
          codes === undefined || named.short_code ? {} : { short_code: ids.code(codes, 6) };
        while (!insert({ ...columns, ...more, ...own, ...drawn() } as unknown as NewRow<Row>));
        trail.record(caller, `${kind}.created`, id, 201);
        return get(caller.org, id);
      });
    },

    /**
     * Changes a row.
     * @param check rejects inconsistent changes, and may replace the fields to write
     */
    update(
      caller: Caller,
      id: string,
      input: object,
      check?: (row: Row, named: object) => object | undefined,
    ): Item {
      return store.transaction(() => {
        const named = resolveAliases(input, names as Aliases<object>);
        const row = find(caller.org, id);
        const fields = check?.(row, named) ?? named;
        updateFields<Row>(store, `${kind}s`, id, fields, writable, clock.now());
        trail.record(caller, `${kind}.updated`, id, 200);
        return get(caller.org, id);
      });
    },

    /** @param also updates the rows that refer to the deleted one */
    delete(caller: Caller, id: string, also: () => void = () => undefined) {
      return store.transaction(() => {
        find(caller.org, id);
        remove.run(id);
        also();
        trail.record(caller, `${kind}.deleted`, id, 200);
        return { object, id, deleted: true as const };
      });
    },
  };
}
