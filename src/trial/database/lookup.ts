import type { Asked, Parameter } from "../statements/parameters.ts";

/** How many rows of a table are looked at, to find one for a lookup. */
export const MOST_LOOKED_AT = 500;

/** A single statement without its end; undefined for several statements, which would have to be taken apart. */
export const singleIn = ({ sql, text }: Asked): string | undefined =>
  text.includes(";") ? undefined : sql.replace(/;\s*$/, "");

/** A single statement that only selects; undefined for others. */
export const selectIn = (asked: Asked): string | undefined =>
  /^\s*(?:select|with)\b/i.test(asked.sql) && !/\b(?:insert|update|delete|merge)\b/i.test(asked.text)
    ? singleIn(asked)
    : undefined;

/** A value as text. Of the binary values, only texts can be told. */
export const textOf = (parameter: Parameter): string | null =>
  parameter === null ? null : (parameter.find((text) => !/[\p{Cc}\ufffd]/u.test(text)) ?? parameter.at(-1)!);

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
