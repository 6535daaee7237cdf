import type { Static, TSchema } from "typebox";
import type { SqlValue, Store } from "../world/store.ts";

/** Page and order of a list, as checked by the route's schema. */
export interface PageQuery {
  page: number;
  limit: number;
  sort?: string;
  order?: "asc" | "desc";
}

/** The same with the filters of a list. @typeParam Schema of the route's query */
export type ListQuery<Schema extends TSchema> = PageQuery & Omit<Static<Schema>, keyof PageQuery>;

/** A part of a list, and the number of all its items. */
export interface Page<Item> {
  data: Item[];
  total: number;
}

/** A condition and the values of its question marks; undefined conditions are ignored. */
export type Condition = [sql: string, ...values: SqlValue[]] | undefined;

/**
 * Conditions that columns have certain values; undefined values are ignored.
 * @param values by column; never a caller's names
 */
export const equal = (values: Record<string, SqlValue | boolean | undefined>): Condition[] =>
  Object.entries(values).map(([column, value]) =>
    value === undefined ? undefined : [`${column} = ?`, typeof value === "boolean" ? Number(value) : value],
  );

function joined(conditions: readonly Condition[]) {
  const present = conditions.filter((condition) => condition !== undefined);
  const where = present.map(([sql]) => `(${sql})`).join(" and ") || "true";
  return { present, where, values: present.flatMap(([, ...rest]) => rest) };
}

/** Up to this many rows, a filter's own index is used; with more, scanning in the list's order finds them soon. */
const FEW = 500;

/**
 * One page of a table's rows, and the number of all matching rows. Ties in the order are broken by id.
 * @param table a table of this area; never a caller's text
 * @param conditions for the owner of the rows, then filters
 * @param show converts a row for the API
 */
export function listPage<Row, Item>(
  store: Store,
  table: string,
  conditions: Condition[],
  query: PageQuery,
  show: (row: Row) => Item,
): Page<Item> {
  const { present, where, values } = joined(conditions);
  const direction = query.order === "asc" ? "asc" : "desc";
  const column = query.sort === "name" ? "name_folded" : (query.sort ?? "created_at");
  const count = store.sql<{ total: number }>(`select count(*) as total from ${table} where ${where}`);
  const { total } = count.get(...values)!;
  const few = present.length > 1 && total <= FEW;
  // SQLite uses no index for a column with a plus.
  const [walked, sorted] = few
    ? [where, "+"]
    : [where.replace(/ and \((\w+ (?:= \?|in \())/g, " and (+$1"), ""];
  const rows = store
    .sql<Row>(
      `select * from ${table} where ${walked} order by ${sorted}${column} ${direction}, ${sorted}id ${direction} limit ? offset ?`,
    )
    .all(...values, query.limit, (query.page - 1) * query.limit);
  return { data: rows.map(show), total };
}

/** The number of rows that are read at once when all are wanted. */
const PART = 1_000;

/** All matching rows, newest first, in parts, so that other work may run in between. */
export function* walkRows<Row extends { created_at: number; id: string }>(
  store: Store,
  table: string,
  conditions: readonly Condition[],
): Generator<Row[]> {
  const { where, values } = joined(conditions);
  const read = store.sql<Row>(
    `select * from ${table} where ${where} and (created_at, id) < (?, ?) order by created_at desc, id desc limit ?`,
  );
  let last = { created_at: Number.MAX_SAFE_INTEGER, id: "" };
  for (;;) {
    const rows = read.all(...values, last.created_at, last.id, PART);
    if (rows.length > 0) yield rows;
    if (rows.length < PART) return;
    last = rows.at(-1)!;
  }
}

/** The generic list envelope. See docs/fidelity.md, "Payments platform". */
export function listEnvelope<Item>(data: Item[], total: number, query: PageQuery, url: string) {
  return {
    object: "list" as const,
    data,
    has_more: query.page * query.limit < total,
    total_count: total,
    url,
  };
}
