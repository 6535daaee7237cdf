import { type Static, type TProperties, type TSchema, type TSchemaOptions, Type } from "typebox";
import { named } from "../schema/schema.ts";

/** An object schema with a title for the OpenAPI document. */
export const shape = <Fields extends TProperties>(
  title: string,
  fields: Fields,
  options: TSchemaOptions = {},
) => Type.Object(fields, { title, ...options });

/** A schema for a type that JSON Schema cannot express, with the type's name in the library. */
export const typed = <T>(name: string, schema: object) => Type.Unsafe<T>(named(name, schema));

/** Input from a caller. Its optional fields may also be undefined. */
export type Input<Schema extends TSchema> = Sent<Static<Schema>>;
type Sent<Fields> = {
  [Name in keyof Fields]: object extends Pick<Fields, Name> ? Fields[Name] | undefined : Fields[Name];
};

export const text = (description: string) => Type.String({ description });
export const integer = (description: string) => Type.Integer({ description });
export const flag = (description: string) => Type.Boolean({ description });
export const listOf = <Item extends TSchema>(item: Item, description: string) =>
  Type.Array(item, { description });

/** A value that may be null. */
export const nullable = <T extends TSchema>(schema: T, options: TSchemaOptions = {}) =>
  Type.Union([schema, Type.Null()], options);

/** A string that must be one of the listed values. */
export const oneOf = <const Value extends string>(values: readonly Value[], options: TSchemaOptions = {}) =>
  Type.Unsafe<Value>({ type: "string", enum: [...values], ...options });

export const VirtualTime = Type.String({
  description: "Virtual time, ISO 8601.",
  examples: ["2026-01-15T09:00:00.000Z"],
});
export const WallTime = text("Real time, ISO 8601.");
export const Instant = Type.String({
  format: "instant",
  description: "ISO 8601, UTC, with milliseconds.",
  examples: ["2026-01-15T09:00:00.000Z"],
});

/** The query schema of a list. `sorts` are the available sort orders. */
export function listQuery<Sorts extends string, Extra extends Record<string, TSchema>>(
  sorts: readonly Sorts[],
  extra: Extra,
) {
  return Type.Object({
    page: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: "1-indexed." }),
    limit: Type.Integer({ minimum: 1, maximum: 100, default: 20 }),
    sort: oneOf(sorts, { default: "created_at" }),
    order: oneOf(["asc", "desc"], { default: "desc" }),
    ...extra,
  });
}

export type ResourceSchema = TSchema & { title?: string; properties: { object: TSchema } };

export const deletedOf = (item: ResourceSchema) =>
  shape(`${item.title}Deleted`, {
    object: item.properties.object,
    id: Type.String(),
    deleted: Type.Literal(true),
  });
