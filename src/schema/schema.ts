import type { XStatic } from "typebox/schema";

/**
 * The key under which a schema stores the name of its type, if JSON Schema cannot express the type.
 * build/declarations.ts reads it.
 */
export const TYPE = Symbol("type");

/** The JSON Schema keywords for a value itself, without those for its parts. */
export interface Keywords {
  type?: string | readonly string[];
  const?: unknown;
  enum?: readonly unknown[];
  required?: readonly string[];
  maxProperties?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  exclusiveMinimum?: number;
  maximum?: number;
  format?: string;
  description?: string;
  default?: unknown;
  examples?: readonly unknown[];
}

/**
 * The subset of JSON Schema that the configuration uses. `format` is a custom check that also converts the value
 * (formats.ts).
 */
export interface Schema extends Keywords {
  anyOf?: readonly Schema[];
  properties?: Readonly<Record<string, Schema>>;
  additionalProperties?: false | Schema;
  propertyNames?: Schema;
  items?: Schema;
  /** The minimum duration, in milliseconds. */
  formatMinimum?: number;
  /** What happens if the field is missing and has no default. */
  unset?: string;
  /** Describes the valid values, if the other keywords do not describe them well. */
  errorMessage?: string;
}

/** The type of a value after it has been read: with defaults, and with durations in milliseconds. */
export type Value<S> = S extends { format: "duration" | "moment" | "time" }
  ? number
  : S extends { anyOf: readonly (infer Option)[] }
    ? Value<Option>
    : S extends { properties: infer P; required: readonly (infer R)[] }
      ? { [K in keyof P as Filled<P[K], K, R> extends true ? K : never]: Value<P[K]> } & {
          [K in keyof P as Filled<P[K], K, R> extends true ? never : K]?: Value<P[K]>;
        }
      : S extends { items: infer Item }
        ? Value<Item>[]
        : S extends { enum: readonly (infer Word)[] }
          ? Word
          : XStatic<S>;

/** Whether a property is always present after the configuration has been read. */
type Filled<S, Name, Required> = S extends { default: unknown } | { type: "object"; required: readonly [] }
  ? true
  : Name extends Required
    ? true
    : false;

/** An object schema that does not allow additional properties. */
export function object<
  // If this allowed "required", TypeScript would infer a nested object's "required" from it.
  const Properties extends Record<string, Omit<Schema, "required">>,
  const Required extends readonly (keyof Properties & string)[] = [],
>(properties: Properties, required?: Required) {
  return {
    type: "object",
    properties,
    required: (required ?? []) as Required,
    additionalProperties: false,
  } as const;
}

export const field = <const S extends Schema, const Default>(
  schema: S,
  value: Default,
  description: string,
) => ({
  ...schema,
  default: value,
  description,
});

export const oneOf = <const Words extends readonly string[]>(...words: Words) =>
  ({ type: "string", enum: words }) as const;
export const integer = (minimum: number, maximum: number) => ({ type: "integer", minimum, maximum }) as const;

export const TEXT = { type: "string", minLength: 1 } as const;
export const TEXTS = { type: "array", items: TEXT } as const;
/** A point in time: ISO 8601, or a duration before now. */
export const MOMENT = { type: "string", format: "moment" } as const;
export const DURATION = { type: ["string", "number"], format: "duration" } as const;

/** Request headers by name. */
export const HEADERS = {
  type: "object",
  additionalProperties: { type: "string" },
} as const;

/** A schema whose type has its own name in the library's declarations. */
export const named = <const S extends object>(name: string, schema: S): S => ({ ...schema, [TYPE]: name });
/** A schema with a description and other details for users. */
export const about = <const S extends Schema>(
  schema: S,
  description: string,
  more: Pick<Schema, "unset" | "examples" | "errorMessage"> = {},
) => ({ ...schema, ...more, description });
export const shortText = (maxLength: number) => ({ ...TEXT, maxLength });
