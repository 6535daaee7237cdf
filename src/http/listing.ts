import type { Static, TSchema } from "typebox";
import type { SqlValue, Store } from "../world/store.ts";

/** A list's page and sort order, validated by the route's schema. */
export interface PageQuery {
  page: number;
  limit: number;
  sort?: string;
  order?: "asc" | "desc";
}

/** A page query together with the list's filters. @typeParam Schema the route's query schema */
export type ListQuery<Schema extends TSchema> = PageQuery & Omit<Static<Schema>, keyof PageQuery>;

/** Part of a list, and the total number of items in the list. */
export interface Page<Item> {
  data: Item[];
  total: number;
}

/** A condition with the values of its placeholders; undefined conditions are ignored. */
export type Condition = [sql: string, ...values: SqlValue[]] | undefined;

/**
 * Conditions that columns equal given values; undefined values are ignored.
 * @param values the values by column name; column names must not come from a caller
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

/**
 * If a filter matches at most this many rows, its own index is used. With more rows, scanning in sort order finds
 * matches quickly.
 */
const FEW = 500;

/**
 * One page of a table's rows, and the total number of matches. Rows that sort equally are ordered by id.
 * @param table one of this area's tables, never a value from a caller
 * @param conditions first the rows' owner, then the filters
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
  // A plus sign before a column keeps SQLite from using its index.
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

/** How many rows to read at once when all rows are needed. */
const PART = 1_000;

/** All matching rows, newest first, read in batches so that other work can run in between. */
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

/** The list envelope that all lists use. See docs/fidelity.md, "Payments platform". */
export function listEnvelope<Item>(data: Item[], total: number, query: PageQuery, url: string) {
  return {
    object: "list" as const,
    data,
    has_more: query.page * query.limit < total,
    total_count: total,
    url,
  };
}
