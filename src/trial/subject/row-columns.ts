import type { Row, TableShape } from "../database/dialect.ts";
import { groupsBy, isCount, isNamedAsCount } from "./counting.ts";

/**
 * The columns that number the rows of each group, as shown by a unique index or their name.
 * @param isEarlier whether a row existed before the first delivery
 * @param isReference whether a column refers to another table's rows
 */
export function countsIn(
  { key, unique }: TableShape,
  rows: readonly Row[],
  isEarlier: (row: Row) => boolean,
  isReference: (column: string) => boolean,
): string[] {
  const columns = Object.keys(rows[0] ?? {});
  return columns.filter((column) => {
    const isKey = key.length === 1 && key[0] === column;
    if (isKey || surelyRefers(column) || isReference(column)) return false;
    const sorted = rows.toSorted((one, other) => Number(one[column]) - Number(other[column]));
    const groups = [
      ...unique.filter((all) => all.includes(column) && (all.length > 1 || isNamedAsCount(column))),
      ...(isNamedAsCount(column) ? columns.map((other) => [other]) : []),
    ].map((all) => all.filter((one) => one !== column));
    return groups.some((by) => isCount(column, groupsBy(sorted, by), isEarlier));
  });
}

/** Names of columns that refer to rows: `order_id`, `orderId`, `parent_id`; `orderid` if there are orders. */
const REFERS = /^(.+?)_?(?:id|ref|fk)$/i;
const surelyRefers = (column: string): boolean =>
  /_(?:id|ref|fk)$/i.test(column) || /[a-z0-9](?:I[dD]|Ref|Fk)$/.test(column);

/** The table that all values of a column refer to by generated ids; undefined if there is no such table. */
export function referredTable(
  column: string,
  values: readonly unknown[],
  ids: ReadonlyMap<string, ReadonlySet<string>>,
): string | undefined {
  const given = values.filter((value) => value !== null);
  if (given.length === 0) return undefined;
  const fitting = [...ids]
    .filter(([, all]) => given.every((value) => all.has(String(value))))
    .map(([name]) => name);
  const [, stem] = REFERS.exec(column) ?? [];
  // A small number may equal an id by chance, and a column with a plural name may count rows.
  const isSure =
    given.every((value) => typeof value === "string" && !/^\d+$/.test(value)) || surelyRefers(column);
  const name = stem ?? (isSure || !/s$/i.test(column) ? column : undefined);
  const named = name === undefined ? undefined : fitting.find((table) => isNamedAfter(name, table));
  return named ?? (isSure ? fitting[0] : undefined);
}

/** A name without case and separators, so that `orderItem` matches `order_item`. */
export const plainName = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");

/** Whether `order` or `lastOrder` is named after `orders` or `shop_orders`. */
function isNamedAfter(stem: string, table: string): boolean {
  const one = plainName(table).replace(/ies$/, "y").replace(/s$/, "");
  return stem !== "" && (plainName(stem).endsWith(one) || one.endsWith(plainName(stem).replace(/s$/, "")));
}
