import { type Known, knowing } from "../../senders/known.ts";
import { isObject, type Json } from "../../trial/subject/state.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { KnownName } from "./known-names.ts";

/** The `known` of a configuration: names that the project's code reads, each with a value that its database has. */

/** A name with its value; without one if no row fits. */
export interface KnownValue extends KnownName {
  value?: string;
  /** The table and the column that have it; undefined for a text of the code. */
  from?: string;
}

interface KnownRow {
  value: string;
  from: string;
}

/** The names that a sender's examples can have, with the value of the first row that fits, or the text that the code gives them. */
export const valuesFor = (names: readonly KnownName[], sender: FileSender, tables?: Json): KnownValue[] =>
  names
    .map((one) => ({
      ...one,
      ...(rowFor(one, tables) ?? (one.written !== undefined && { value: one.written })),
    }))
    .filter((one) => canHave(sender, one));

function canHave(sender: FileSender, one: KnownValue): boolean {
  try {
    knowing(sender, knownOf([{ ...one, value: one.value ?? "1" }]));
    return true;
  } catch {
    return false;
  }
}

/** Values as a person writes them: `{ metadata: { userId: "42" } }`. */
export function knownOf(values: readonly KnownValue[]): Known {
  const known: Record<string, string | Record<string, string>> = {};
  for (const { name, value } of values) {
    if (value === undefined) continue;
    const dot = name.lastIndexOf(".");
    if (dot < 0) known[name] = value;
    else known[name.slice(0, dot)] = { ...Object(known[name.slice(0, dot)]), [name.slice(dot + 1)]: value };
  }
  return known;
}

/** A name without case, hyphens and underscores, so that `orderItem` is `order_items`' row. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "");
const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/(?<=[sxz]|ch|sh)es$/, "")
    .replace(/s$/, "");
const LEAST_PART = 3;

/** The first row that a name may identify. @param tables the state of a database: lists of rows by table */
function rowFor({ name, identifies }: KnownName, tables: Json | undefined): KnownRow | undefined {
  if (!isObject(tables)) return undefined;
  const all = Object.entries(tables).flatMap(([table, rows]) => {
    const [first] = Array.isArray(rows) ? rows : [];
    return isObject(first) ? [{ table, row: first, rows: rows as Json[] }] : [];
  });
  const wanted = identifies === undefined ? undefined : singular(plain(identifies));
  const ranked = all
    .map((one) => ({
      ...one,
      rank: wanted === undefined ? 0 : rankOf(singular(plain(one.table.split(".").at(-1)!)), wanted),
    }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank);
  for (const { table, row } of ranked) {
    const key = Object.keys(row).find(
      (column) => /^(?:id|uuid|pk)$/i.test(column) || plain(column) === `${wanted}id`,
    );
    const value = key === undefined ? undefined : textOf(row[key]);
    if (value !== undefined) return { value, from: `${table}.${key}` };
  }
  const field = plain(name.split(".").at(-1)!);
  for (const { table, rows } of all)
    for (const row of rows.filter(isObject))
      for (const [column, found] of Object.entries(row)) {
        const value = plain(column) === field ? textOf(found) : undefined;
        if (value !== undefined) return { value, from: `${table}.${column}` };
      }
  return undefined;
}

/** How well a table's name says that its rows are what is wanted. */
function rankOf(table: string, wanted: string): number {
  if (table === wanted) return 3;
  if (wanted.length < LEAST_PART) return 0;
  return table.endsWith(wanted) ? 2 : table.startsWith(wanted) ? 1 : 0;
}

const textOf = (value: Json | undefined): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) || undefined : undefined;
