import { PARTS, withoutLiterals } from "./point.ts";

/** A value that a statement was given: the texts that it may stand for, as its type is not always known; null for null. */
export type Parameter = readonly string[] | null;

/** The values that SQL itself contains, as clients write them that bind nothing. */
export const literalsIn = (sql: string): Parameter[] =>
  [...sql.matchAll(PARTS)].flatMap(([part]) =>
    /^(?:"|--|\/\*)/.test(part) ? [] : [[part[0] === "'" ? part.slice(1, -1).replaceAll("''", "'") : part]],
  );

/** The values by which a statement looks for rows: those after its `where`. */
function soughtBy(text: string, values: readonly Parameter[]): Parameter[] {
  const conditions = text.slice(Math.max(text.search(/\bwhere\b/i), 0));
  const numbered = [...conditions.matchAll(/\$(\d+)/g)].map(([, number]) => values[Number(number) - 1]);
  // With a name, such as `@customer`; a type is named after two colons.
  const others = conditions.match(/\?|(?<!:)[:@$][a-z_]\w*/gi)?.length ?? 0;
  const found = numbered.length > 0 ? numbered : values.slice(-others || values.length);
  return found.filter((one) => one !== undefined);
}

/** A statement as its server made it: the SQL, and the values for its placeholders. */
export interface Asked {
  sql: string;
  values: readonly Parameter[];
}

/** The values may be secret, so no result of a trial has them. */
const ASKED = new WeakMap<object, Asked>();

const MET_NONE = /^(?:select|update|delete) 0$/i;

/** The values of placeholders, or those that SQL contains. */
const valuesIn = (sql: string, values: readonly Parameter[]): readonly Parameter[] =>
  values.length > 0 ? values : literalsIn(sql);

/** Remembers how a statement looked for rows, if it met none. */
export function noteAsked(
  statement: { result: string | null },
  { sql, values }: { sql: string; values: () => Asked["values"] },
): void {
  // The database answered it, so its message is whole.
  if (MET_NONE.test(statement.result ?? "") && /\bwhere\b/i.test(sql))
    ASKED.set(statement, { sql, values: valuesIn(sql, values()) });
}

/** How a statement looked for rows and met none; undefined for other statements. */
export const askedBy = (statement: object): Asked | undefined => ASKED.get(statement);

/** The values that a statement looked for, if it met no row; empty where they are not known. */
export function soughtIn(statement: object): readonly Parameter[] {
  const asked = askedBy(statement);
  return asked ? soughtBy(withoutLiterals(asked.sql), asked.values) : [];
}
