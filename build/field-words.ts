import type { Schema } from "../src/schema/schema.ts";

/** The fields of a schema in order, without sections, by their paths, such as `webhooks.timeout`. */
export function fieldsOf({ properties = {} }: Schema, path = ""): [path: string, field: Schema][] {
  return Object.entries(properties).flatMap(([name, field]): [string, Schema][] =>
    field.properties ? fieldsOf(field, `${path}${name}.`) : [[path + name, field]],
  );
}

/** Describes, in Markdown, what applies if a field is missing. */
export function defaultOf({ default: value, unset }: Schema): string {
  return value === undefined ? (unset ?? "none") : `\`${literal(value)}\``;
}

/** A value written as TypeScript. */
function literal(value: unknown): string {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(literal).join(", ")}]`;
  const fields = Object.entries(value).map(([name, item]) => ` ${name}: ${literal(item)}`);
  return fields.length === 0 ? "{}" : `{${fields.join(",")} }`;
}
