import { unlessThrown } from "../runtime/unless-thrown.ts";
import { createIds } from "./ids.ts";
import { createRandom } from "./random.ts";
import type { SqlValue, Store } from "./store.ts";

type JsonKind = "object" | "array" | "object or text";

/** Rules for the rows of a world, in addition to those of the tables themselves. */
export interface RowRules {
  /** The kinds of JSON by column (`table.column`). Null is always allowed. */
  json: Readonly<Record<string, JsonKind>>;
  /** Rules for values by column (`table.column`). Null is always allowed. */
  values?: Readonly<Record<string, ValueRule>>;
  /** Queries for the ids that rows refer to, as `select … as id`, and for the ids that exist. */
  references: readonly { ids: string; among: string }[];
  /** The id prefixes of columns (`table.column`) with ids drawn by the world. */
  drawn?: Readonly<Record<string, string>>;
}

export interface ValueRule {
  /** Completes "contains an invalid …". */
  kind: string;
  fits: (value: SqlValue) => boolean;
  /** A condition for the rows to check; by default, all. */
  where?: string;
}

/** A rule that a column's value must be one of these words. */
export const oneOf = (kind: string, ...values: readonly string[]): ValueRule => ({
  kind,
  fits: (value) => values.includes(String(value)),
});

const WORLD_JSON: RowRules["json"] = {
  "random.drawn": "object",
  "faults.spec": "object",
  "journal.data": "object",
};

/** The type of columns that hold an instant, virtual or real. SQLite treats it as an integer. */
const INSTANT = "integer instant";
/** The last millisecond that a date can represent. */
const LAST_DATE = 8_640_000_000_000_000;

/**
 * Finds mistakes in foreign rows: invalid text, instants or JSON, and references to missing rows. It reads every row, so
 * use it for foreign files, not for every restore.
 * @returns the end of a sentence, or undefined if all rows are valid
 */
export function wrongRows(store: Store, rules: RowRules): string | undefined {
  for (const [place, kind] of Object.entries({ ...WORLD_JSON, ...rules.json }))
    if (hasOtherJson(store, place, kind)) return `${place} contains an invalid JSON ${kind}`;
  for (const { table, column, kind, wrong } of columnChecks(store))
    if (store.sql(`select 1 from "${table}" where ${wrong} limit 1`).get())
      return `${table}.${column} contains an invalid ${kind}`;
  for (const [place, { kind, fits, where = "true" }] of Object.entries(rules.values ?? {})) {
    const values = store
      .sql<{ value: SqlValue }>(`select distinct ${place} as value from ${tableOf(place)} where ${where}`)
      .all();
    if (values.some(({ value }) => value !== null && !fits(value)))
      return `${place} contains an invalid ${kind}`;
  }
  for (const { ids, among } of rules.references) {
    const missing = store
      .sql<{ id: unknown }>(`select id from (${ids}) where id is null or id not in (${among}) limit 1`)
      .get();
    if (missing) return `it refers to ${missing.id ?? "a row without an id"}, which it lacks`;
  }
  return idToBeDrawn(store, rules.drawn ?? {});
}

/** Finds an id that would be drawn again, because the draw counters are behind the rows. */
function idToBeDrawn(store: Store, columns: Readonly<Record<string, string>>): string | undefined {
  const { drawn } = store.sql<{ drawn: string }>("select drawn from random").get() ?? { drawn: "{}" };
  if (
    !Object.values(JSON.parse(drawn)).every((count) => Number.isSafeInteger(count) && (count as number) >= 0)
  )
    return "random.drawn contains an invalid count";
  const readSeed = store.sql<{ seed: string }>("select seed from world");
  const ids = createIds(createRandom(store, () => readSeed.get()?.seed ?? ""));
  for (const [place, prefix] of Object.entries(columns)) {
    const ahead = store
      .sql<{ id: string }>(
        `select ${place} as id from ${tableOf(place)} where ${place} between ? and ? limit 1`,
      )
      .get(...ids.ahead(prefix));
    if (ahead) return `${ahead.id} would be generated again: random.drawn counts fewer ids than exist`;
  }
  return undefined;
}

/** The table in `table.column`. */
const tableOf = (place: string): string => place.split(".")[0]!;

function hasOtherJson(store: Store, place: string, kind: JsonKind): boolean {
  const kinds = kind.split(" or ");
  const suspects = store
    .sql<{ text: unknown }>(
      `select ${place} as text from ${tableOf(place)} where ${place} is not null
       and (typeof(${place}) <> 'text' or not json_valid(${place}) or json_type(${place}) not in (${kinds.map((one) => `'${one}'`).join()}))`,
    )
    .all();
  // SQLite rejects JSON beyond a certain depth, so deeper JSON may still be valid.
  return suspects.some(({ text }) => !kinds.includes(kindOf(text)));
}

function kindOf(text: unknown): string {
  const value: unknown = unlessThrown(() => JSON.parse(String(text)));
  if (typeof value === "string") return "text";
  return Array.isArray(value) ? "array" : value === null ? "null" : typeof value;
}

/** A condition that matches invalid values in a column. */
interface ColumnCheck {
  table: string;
  column: string;
  kind: "instant" | "text" | "whole number" | "number";
  wrong: string;
}

function columnChecks(store: Store): ColumnCheck[] {
  const columns = store.sql<{ table: string; column: string; type: string; pk: number }>(
    `select m.name as "table", c.name as "column", lower(c.type) as type, c.pk
     from sqlite_master m join pragma_table_info(m.name) c where m.type = 'table'`,
  );
  return columns.all().flatMap(({ table, column, type, pk }) => {
    const check = checkOf(column, type);
    if (!check) return [];
    // SQLite allows null keys in tables with row ids.
    const wrong = pk > 0 ? `${check.wrong} or "${column}" is null` : check.wrong;
    return [{ table, column, kind: check.kind, wrong }];
  });
}

function checkOf(column: string, type: string): Pick<ColumnCheck, "kind" | "wrong"> | undefined {
  const name = `"${column}"`;
  const other = `${name} is not null and typeof(${name}) <>`;
  if (type === "text") return { kind: "text", wrong: `${other} 'text'` };
  if (type === "real")
    return { kind: "number", wrong: `${other} 'real' or abs(${name}) > ${Number.MAX_VALUE}` };
  if (type === "integer")
    return {
      kind: "whole number",
      wrong: `${other} 'integer' or abs(${name}) > ${Number.MAX_SAFE_INTEGER}`,
    };
  if (type !== INSTANT) return undefined;
  return { kind: "instant", wrong: `${other} 'integer' or ${name} not between 0 and ${LAST_DATE}` };
}
