import type { Asked, Parameter } from "../statements/parameters.ts";
import { withoutLiterals } from "../statements/point.ts";
import type { Row } from "./dialect.ts";

/** A column with which a statement compares a value. */
export interface SoughtColumn {
  table: string;
  column: string;
  value: string;
}

/** A field of a row, which is identified by its primary key. */
export interface Cell {
  table: string;
  column: string;
  row: Row;
}

/** Finds out which rows a statement looks for that met none. The server under test makes no statement meanwhile. */
export interface Lookup {
  /** The columns that a statement compares with these values; empty if that cannot be told. */
  soughtBy(asked: Asked, values: readonly string[]): Promise<readonly SoughtColumn[]>;
  /** The rows of a table in the order in which they were written: no more than the first `MOST_LOOKED_AT`. */
  firstRows(table: string): Promise<readonly Row[]>;
  /**
   * Whether a select would meet a row with other values in place of some; undefined for other statements, which are not run.
   * @param renamed the new values, by those of the statement
   */
  meets(asked: Asked, renamed: ReadonlyMap<string, string>): Promise<boolean | undefined>;
  /** Sets a field. @returns false if a constraint forbids it */
  set(cell: Cell, value: string | null): Promise<boolean>;
}

export const MOST_LOOKED_AT = 500;

/** Whether it is one statement: several would have to be taken apart. */
const isSingle = (sql: string): boolean => !withoutLiterals(sql).includes(";");

/** A single statement without its end; undefined for several statements. */
export const singleIn = ({ sql }: Asked): string | undefined =>
  isSingle(sql) ? sql.replace(/;\s*$/, "") : undefined;

/** A single statement that only selects; undefined for others. */
export const selectIn = (asked: Asked): string | undefined =>
  /^\s*(?:select|with)\b/i.test(asked.sql) && !/\b(?:insert|update|delete|merge)\b/i.test(withoutLiterals(asked.sql))
    ? singleIn(asked)
    : undefined;

/** A value as text. Of the binary values, only texts can be told. */
export const valueOf = (parameter: Parameter): string | null =>
  parameter === null ? null : parameter.find((text) => !/[\p{Cc}\ufffd]/u.test(text)) ?? parameter.at(-1)!;

/** A text, such as a value or a list, with some values renamed. If a value is in lower case there, so is the new one. */
export const renamedIn = (text: string, renamed: ReadonlyMap<string, string>): string =>
  [...renamed].reduce(
    (changed, [before, after]) =>
      changed.replaceAll(before, after).replaceAll(before.toLowerCase(), after.toLowerCase()),
    text,
  );

/** A name of SQL as it is stored. */
export const unquoted = (name: string): string =>
  /^["`[]/.test(name) ? name.slice(1, -1).replaceAll('""', '"').replaceAll("``", "`") : name;

export const asPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
