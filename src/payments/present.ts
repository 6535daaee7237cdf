import type { Static, TObject, TProperties, TSchema } from "typebox";
import { isoOrNull } from "../world/duration.ts";

function converterOf(
  name: string,
  schema: TSchema & { const?: unknown; type?: string },
): (value: unknown) => unknown {
  if (schema.const !== undefined) return () => schema.const;
  if (name.endsWith("_at")) return (value) => isoOrNull(value as number | null);
  if (schema.type === "boolean") return (value) => value === 1;
  if (schema.type === "object") return (value) => JSON.parse(value as string);
  return (value) => value;
}

/**
 * Creates a function that converts rows to the fields of their schema, in the schema's order.
 * @param more fields that have no column or differ from it
 */
export function presenter<Fields extends TProperties, Row extends object>(
  { properties }: TObject<Fields>,
  more: (row: Row) => Partial<Static<TObject<Fields>>> = () => ({}),
): (row: Row) => Static<TObject<Fields>> {
  const fields = Object.entries(properties).map(
    ([name, schema]) => [name, converterOf(name, schema)] as const,
  );
  return (row) => {
    const given = more(row) as Record<string, unknown>;
    const columns = row as Record<string, unknown>;
    const shown = fields.map(([name, convert]) => [
      name,
      name in given ? given[name] : convert(columns[name]),
    ]);
    return Object.fromEntries(shown) as Static<TObject<Fields>>;
  };
}
