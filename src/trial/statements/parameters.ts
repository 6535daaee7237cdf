import { literalsOf, type SqlForm, STANDARD, withoutLiterals } from "./sql-form.ts";

/** The strings that a statement's bound value may represent, because its type is not always known; null for null. */
export type Parameter = readonly string[] | null;

/** The literals in SQL, for clients that bind no values. */
export const literalsIn = (sql: string, form = STANDARD): Parameter[] =>
  literalsOf(sql, form).map((value) => [value]);

/** Matches a placeholder, possibly a named one such as `@customer`; two colons precede a type instead. */
const PLACEHOLDERS = /\$(\d+)|\?|(?<!:)[:@$][a-z_]\w*/gi;
/** Precedes a placeholder for a number of rows. */
const BEFORE_COUNT = /\b(?:limit|offset)\s+(?:\S+\s*,\s*)?$/i;

/** The values with which a statement looks for rows: those after its `where`, except for numbers of rows. */
function soughtBy(text: string, values: readonly Parameter[]): Parameter[] {
  const conditions = text.slice(Math.max(text.search(/\bwhere\b/i), 0));
  const places = [...conditions.matchAll(PLACEHOLDERS)];
  if (places.length === 0) return [...values];
  const last = values.slice(-places.length);
  const isNumbered = places.some(([, number]) => number !== undefined);
  return places.flatMap(({ 1: number, index }, position) => {
    const value = isNumbered ? values[Number(number) - 1] : last[position];
    return value === undefined || BEFORE_COUNT.test(conditions.slice(0, index)) ? [] : [value];
  });
}

/** A statement as the server made it: the SQL, and the values for its placeholders. */
export interface Asked {
  sql: string;
  /** The SQL without its literals. */
  text: string;
  values: readonly Parameter[];
}

/** The values may be secret, so no trial result contains them. */
const ASKED = new WeakMap<object, Asked>();

const MET_NONE = /^(?:select|update|delete) 0$/i;

/** Remembers how a statement looked for rows, if it found none. */
export function noteAsked(
  statement: { result: string | null },
  {
    sql,
    values: read,
    line: { form },
  }: { sql: string; values: () => Asked["values"]; line: { form: SqlForm } },
): void {
  if (!MET_NONE.test(statement.result ?? "") || !/\bwhere\b/i.test(sql)) return;
  // The database has responded, so the statement's message is complete.
  const values = read();
  const text = withoutLiterals(sql, form);
  ASKED.set(statement, { sql, text, values: values.length > 0 ? values : literalsIn(sql, form) });
}

/** How a statement looked for rows and found none; undefined for other statements. */
export const askedBy = (statement: object): Asked | undefined => ASKED.get(statement);

/** The values that a statement looked for, if it found no row; empty if they are unknown. */
export function soughtIn(statement: object): readonly Parameter[] {
  const asked = askedBy(statement);
  return asked ? soughtBy(asked.text, asked.values) : [];
}
