import { unlessThrown } from "../../runtime/unless-thrown.ts";
import { type Known, knowing } from "../../senders/known.ts";
import { formOf } from "../../trial/fitting/leads.ts";
import { plainName } from "../../trial/subject/row-columns.ts";
import { isObject, type Json } from "../../trial/subject/state.ts";
import type { FileSender } from "../../webhooks/described.ts";
import type { KnownName } from "./known-names.ts";

/** The `known` setting: names that the project's code reads, each with a value from its database. */

/** A name with its value; the value is missing if no row matches. */
export interface KnownValue extends KnownName {
  value?: string;
  /** The table and column that the value comes from; undefined for a literal in the code. */
  from?: string;
}

type KnownRow = Required<Pick<KnownValue, "value" | "from">>;

/**
 * The names that can occur in a sender's examples, with the value from the first matching row, or the literal assigned in
 * the code.
 */
export const valuesFor = (names: readonly KnownName[], sender: FileSender, tables?: Json): KnownValue[] =>
  names
    .map((one) => ({
      ...one,
      ...(rowFor(one, tables) ??
        (one.written === undefined ? fieldFor(one, tables) : { value: one.written })),
    }))
    .filter((one) => canHave(sender, one));

/**
 * The kinds of objects whose ids a project stores and looks up. Payment and event ids are left out: the handler would
 * treat an event with a stored id as already handled.
 */
const WITH_ROWS = ["customer", "price", "product"];

/** The ids of a sender's objects that occur in a database, recognized by their prefix, such as `cus_…`. */
export function idsIn({ facts: { kinds = {} } }: FileSender, tables: Json | undefined): KnownValue[] {
  return WITH_ROWS.flatMap((kind) => {
    const [example = ""] = [kinds[kind] ?? []].flat();
    const form = formOf(example);
    if (!form) return [];
    for (const { name, rows } of tablesIn(tables))
      for (const row of rows)
        for (const [column, value] of Object.entries(row))
          if (typeof value === "string" && form.test(value))
            return [
              {
                ...{ name: kind, identifies: undefined, written: undefined },
                ...{ at: `${example.split("_")[0]}_…`, value, from: `${name}.${column}` },
              },
            ];
    return [];
  });
}

const canHave = (sender: FileSender, one: KnownValue): boolean =>
  unlessThrown(() => knowing(sender, knownOf([{ ...one, value: one.value ?? "1" }]))) !== undefined;

/** Formats values as a person would write them: `{ metadata: { userId: "42" } }`. */
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

const singular = (name: string): string =>
  name
    .replace(/ies$/, "y")
    .replace(/(?<=[sxz]|ch|sh)es$/, "")
    .replace(/s$/, "");
const LEAST_PART = 3;

/** @param state a database's state: a list of rows for each table */
const tablesIn = (state: Json | undefined) =>
  Object.entries(isObject(state) ? state : {}).map(([name, rows]) => ({
    name,
    rows: Array.isArray(rows) ? rows.filter(isObject) : [],
  }));

/** The first row of the table that a name refers to. */
function rowFor({ identifies }: KnownName, state: Json | undefined): KnownRow | undefined {
  if (identifies === undefined) return undefined;
  const wanted = singular(plainName(identifies));
  const ranked = tablesIn(state)
    .map((one) => ({ ...one, rank: rankOf(singular(plainName(one.name.split(".").at(-1)!)), wanted) }))
    .filter(({ rank }) => rank > 0)
    .toSorted((a, b) => b.rank - a.rank);
  for (const { name, rows } of ranked) {
    const [row = {}] = rows;
    const key = Object.keys(row).find(
      (column) => /^(?:id|uuid|pk)$/i.test(column) || plainName(column) === `${wanted}id`,
    );
    const value = key === undefined ? undefined : row[key];
    if (typeof value === "number" || (typeof value === "string" && value !== ""))
      return { value: String(value), from: `${name}.${key}` };
  }
  return undefined;
}

/**
 * The first string in a column with the same name. Numbers are ignored, because they may be quantities: with a wrong
 * quantity, such as 0 credits, a handler might change nothing, and its bugs would stay hidden.
 */
function fieldFor({ name: whole }: KnownName, state: Json | undefined): KnownRow | undefined {
  const field = plainName(whole.split(".").at(-1)!);
  for (const { name, rows } of tablesIn(state))
    for (const row of rows)
      for (const [column, value] of Object.entries(row))
        if (
          plainName(column) === field &&
          typeof value === "string" &&
          value !== "" &&
          !/^-?[\d.]+$/.test(value)
        )
          return { value, from: `${name}.${column}` };
  return undefined;
}

/** Ranks how well a table's name matches the wanted name. */
function rankOf(table: string, wanted: string): number {
  if (table === wanted) return 3;
  if (wanted.length < LEAST_PART) return 0;
  return table.endsWith(wanted) ? 2 : table.startsWith(wanted) ? 1 : 0;
}
