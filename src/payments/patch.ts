import { readInstant } from "../world/duration.ts";
import type { SqlValue, Store } from "../world/store.ts";
import { invalidField, PlatformError } from "./errors.ts";

/** Turns a field's value as sent into the column's value. */
type Write<Value> = (value: NonNullable<Value>) => SqlValue;

/**
 * How an update writes each column of a row. The compiler names a column that is neither written here nor read-only, and
 * a field of the input that is neither a column nor handled elsewhere.
 */
export type Columns<
  Input,
  Row,
  ReadOnly extends Exclude<keyof Row, keyof Input>,
  Elsewhere extends keyof Input = never,
> = {
  [Column in Exclude<keyof Row, ReadOnly>]: Column extends keyof Input ? Write<Input[Column]> : never;
} & { [Field in Exclude<keyof Input, keyof Row | Elsewhere>]: never };

export const asIs = (value: string | number): SqlValue => value;
export const asFlag = (value: boolean): number => (value ? 1 : 0);
export const asInstant = (value: string | number): number =>
  typeof value === "number" ? value : readInstant(value)!;
export const asJson = (value: unknown): SqlValue => JSON.stringify(value);

/** Names that published clients of this API family use, and the field that each stands for. */
export type Aliases<Input> = { readonly [Alias in keyof Input & string]?: keyof Input & string };

/**
 * The input with what came under another name under the field's own name.
 * @throws PlatformError invalid_field_value when both names are there and differ
 */
export function resolveAliases<Input extends object>(input: Input, aliases: Aliases<Input>): Input {
  const resolved = { ...input };
  for (const [alias, field] of Object.entries(aliases) as [keyof Input & string, keyof Input & string][]) {
    const value = input[alias];
    if (value === undefined) continue;
    if (input[field] !== undefined && input[field] !== value)
      throw invalidField(
        alias,
        `${alias} is another name of ${field}: send one of them, or the same in both.`,
      );
    resolved[field] = value;
    delete resolved[alias];
  }
  return resolved;
}

/**
 * Updates the columns of the fields that `input` has; null empties a column.
 * @param table a table of this area; never a caller's text
 * @param key the column that `id` names
 * @returns the fields that were written
 * @throws PlatformError no_updates_provided for a body without fields
 */
export function updateFields<Input extends object>(
  store: Store,
  table: string,
  id: string,
  input: Input,
  columns: { [Field in keyof Input]?: Write<Input[Field]> },
  now: number,
  key = "id",
): (keyof Input & string)[] {
  const fields = (Object.keys(columns) as (keyof Input & string)[]).filter(
    (field) => input[field] !== undefined,
  );
  if (fields.length === 0) {
    throw new PlatformError(
      "no_updates_provided",
      `No fields to update. This resource takes ${Object.keys(columns).join(", ")}.`,
    );
  }
  const values = fields.map((field) => {
    const value = input[field];
    return value === null ? null : columns[field]!(value as NonNullable<Input[typeof field]>);
  });
  const assignments = fields.map((field) => `${field} = ?`).join(", ");
  store.sql(`update ${table} set ${assignments}, updated_at = ? where ${key} = ?`).run(...values, now, id);
  return fields;
}
