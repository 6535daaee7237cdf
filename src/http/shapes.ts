import { type TProperties, type TSchemaOptions, Type } from "typebox";

/** The schema of an object that the document shows under a title. */
export const shape = <Fields extends TProperties>(
  title: string,
  fields: Fields,
  options: TSchemaOptions = {},
) => Type.Object(fields, { title, ...options });

/** The schema of a text that is one of a list. */
export const oneOf = <const Value extends string>(values: readonly Value[], options: TSchemaOptions = {}) =>
  Type.Unsafe<Value>({ type: "string", enum: [...values], ...options });
