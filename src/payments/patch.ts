import type { TObject, TProperties } from "typebox";
import { readInstant } from "../world/duration.ts";
import type { SqlValue, Store } from "../world/store.ts";
import { invalidField, PlatformError } from "./errors.ts";

/** The columns that a request body can write: the fields of its schema, except those that are handled separately. */
export const columnsOf = <Fields extends TProperties, Elsewhere extends keyof Fields & string = never>(
  { properties }: TObject<Fields>,
  ...elsewhere: Elsewhere[]
) =>
  Object.keys(properties).filter((field) => !elsewhere.includes(field as Elsewhere)) as Exclude<
    keyof Fields & string,
    Elsewhere
  >[];

export const asInstant = (value: string | number): number =>
  typeof value === "number" ? value : readInstant(value)!;

/** Converts a field's value for its column: flags to 0 or 1, instants to milliseconds, objects and lists to JSON. */
export function asColumn(name: string, value: unknown): SqlValue {
  if (value === undefined || value === null) return null;
  if (typeof value === "boolean") return Number(value);
  if (typeof value === "object") return JSON.stringify(value);
  return name.endsWith("_at") ? asInstant(value as string | number) : (value as SqlValue);
}

/** Field names used by published clients of this API family, and our names for the same fields. */
export type Aliases<Input> = { readonly [Alias in keyof Input & string]?: keyof Input & string };

/**
 * Replaces aliases with the names of their fields.
 * @throws PlatformError invalid_field_value if an alias and its field are both present and differ
 */
export function resolveAliases<Input extends object>(input: Input, aliases: Aliases<Input>): Input {
  const resolved = { ...input };
  for (const [alias, field] of Object.entries(aliases) as [keyof Input & string, keyof Input & string][]) {
    const value = input[alias];
    if (value === undefined) continue;
    if (input[field] !== undefined && input[field] !== value)
      throw invalidField(
        alias,
        `${alias} is another name for ${field}: send only one of them, or the same value in both.`,
      );
    resolved[field] = value;
    delete resolved[alias];
  }
  return resolved;
}

/**
 * Returns the fields present in `input`.
 * @throws PlatformError no_updates_provided for a body without fields
 */
export function checkUpdates<Field extends string>(
  input: { readonly [Name in Field]?: unknown },
  columns: readonly Field[],
): Field[] {
  const fields = columns.filter((field) => input[field] !== undefined);
  if (fields.length > 0) return fields;
  throw new PlatformError(
    "no_updates_provided",
    `No fields to update. This resource accepts ${columns.join(", ")}.`,
  );
}

/**
 * Updates the columns of the fields in `input`; null clears a column.
 * @param table a table of this area; never user input
 * @param key the column of `id`
 * @returns the written fields
 * @throws PlatformError no_updates_provided for a body without fields
 */
export function updateFields<Row>(
  store: Store,
  table: string,
  id: string,
  input: { readonly [Column in keyof Row]?: unknown },
  columns: readonly (keyof Row & string)[],
  now: number,
  key = "id",
): string[] {
  const fields = checkUpdates<keyof Row & string>(input, columns);
  const values = fields.map((field) => asColumn(field, input[field]));
  const assignments = fields.map((field) => `${field} = ?`).join(", ");
  store.sql(`update ${table} set ${assignments}, updated_at = ? where ${key} = ?`).run(...values, now, id);
  return fields;
}
