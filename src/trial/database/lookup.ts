import type { Asked, Parameter } from "../statements/parameters.ts";

/** The maximum number of rows per table to consider for a lookup. */
export const MOST_LOOKED_AT = 500;

/** A single statement without its semicolon; undefined for several statements, which would have to be split. */
export const singleIn = ({ sql, text }: Asked): string | undefined =>
  text.includes(";") ? undefined : sql.replace(/;\s*$/, "");

/** A single read-only statement; undefined for others. */
export const selectIn = (asked: Asked): string | undefined =>
  /^\s*(?:select|with)\b/i.test(asked.sql) && !/\b(?:insert|update|delete|merge)\b/i.test(asked.text)
    ? singleIn(asked)
    : undefined;

/** A value as text. Binary values can be decoded only if they are text. */
export const textOf = (parameter: Parameter): string | null =>
  parameter === null ? null : (parameter.find((text) => !/[\p{Cc}\ufffd]/u.test(text)) ?? parameter.at(-1)!);

/** Replaces values in a string, such as a value or a list. If the old value is in lower case there, so is the new one. */
export const renamedIn = (text: string, renamed: ReadonlyMap<string, string>): string =>
  [...renamed].reduce(
    (changed, [before, after]) =>
      changed.replaceAll(before, after).replaceAll(before.toLowerCase(), after.toLowerCase()),
    text,
  );

export const unquoted = (name: string): string =>
  /^["`[]/.test(name) ? name.slice(1, -1).replaceAll('""', '"').replaceAll("``", "`") : name;

export const asPattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, "\\$&");
