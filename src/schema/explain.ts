import type { Schema } from "./schema.ts";

/** The fields of a schema in their order, without sections, by paths such as `webhooks.timeout`. */
export function fieldsOf({ properties = {} }: Schema, path = ""): [path: string, field: Schema][] {
  return Object.entries(properties).flatMap(([name, field]): [string, Schema][] =>
    field.properties ? fieldsOf(field, `${path}${name}.`) : [[path + name, field]],
  );
}

/** What holds without a field, as Markdown. */
export function defaultOf({ default: value, unset }: Schema): string {
  return value === undefined ? (unset ?? "none") : `\`${literal(value)}\``;
}

/** A value as TypeScript: in one line, or broken where that is longer than 90 characters. */
export function literal(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const isList = Array.isArray(value);
  const items = Object.entries(value).map(([name, item]) => (isList ? "" : `${name}: `) + literal(item));
  const [open, close] = isList ? "[]" : "{}";
  const space = isList || items.length === 0 ? "" : " ";
  const line = `${open}${space}${items.join(", ")}${space}${close}`;
  if (line.length <= 90 && !line.includes("\n")) return line;
  const lines = items.map((item) => `  ${item.replaceAll("\n", "\n  ")},\n`);
  return `${open}\n${lines.join("")}${close}`;
}
