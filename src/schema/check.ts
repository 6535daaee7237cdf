import { FORMATS, type Formats } from "./formats.ts";
import type { Mistakes } from "./mistakes.ts";
import type { Schema, Value } from "./schema.ts";

/**
 * Validates a value and fills in defaults. Each invalid part is recorded as a mistake and replaced by its default, so
 * that the rest can still be checked.
 * @param at the path of the value for messages; by default, the root
 * @param formats formats in addition to the standard ones
 */
export function check<const S extends Schema>(
  schema: S,
  value: unknown,
  mistakes: Mistakes,
  at = "",
  formats: Formats = FORMATS,
) {
  return read(schema, value, at) as Value<S>;

  function read(schema: Schema, value: unknown, path: string): unknown {
    const refuse = (): unknown => {
      mistakes.add(path, expected(schema, value, formats), value);
      if (schema.properties) return readObject(schema, {}, path);
      return schema.default === undefined ? undefined : read(schema, schema.default, path);
    };
    if (schema.anyOf) {
      const option = chooseOption(schema.anyOf, value);
      // If all options of an `anyOf` are plain values, one message covers all of them.
      const plain = !option?.properties && !option?.items && !option?.format;
      const misfit = schema.errorMessage !== undefined && plain && option && !fits(option, value);
      return option && !misfit ? read(option, value, path) : refuse();
    }
    if (schema.format) {
      const found = formats[schema.format]!.read(value);
      const long = typeof value === "string" && value.length > (schema.maxLength ?? Infinity);
      return found === undefined || long || Number(found) < (schema.formatMinimum ?? 0) ? refuse() : found;
    }
    if (!fits(schema, value)) return refuse();
    if (schema.properties) return readObject(schema, value as Record<string, unknown>, path);
    const { items, additionalProperties: values } = schema;
    if (items) return (value as unknown[]).map((item, index) => read(items, item, `${path}[${index}]`));
    if (!values) return value;
    const entries = Object.entries(value as object);
    return Object.fromEntries(entries.map(([name, item]) => [name, read(values, item, `${path}.${name}`)]));
  }

  function readObject({ properties = {}, required }: Schema, value: Record<string, unknown>, path: string) {
    const at = (name: string) => (path === "" ? name : `${path}.${name}`);
    for (const name of Object.keys(value))
      if (!Object.hasOwn(properties, name)) mistakes.addUnknown(at(name), name, Object.keys(properties));
    const filled: Record<string, unknown> = {};
    for (const [name, schema] of Object.entries(properties)) {
      let { [name]: field = schema.default } = value;
      if (isSection(schema)) field ??= {};
      if (field !== undefined || required?.includes(name)) filled[name] = read(schema, field, at(name));
    }
    return filled;
  }
}

/** Whether a missing object is treated as an empty one. */
const isSection = ({ properties, required }: Schema): boolean =>
  properties !== undefined && required?.length === 0;

/** Chooses the `anyOf` option against which to validate a value, based on its type or field names. */
function chooseOption(options: readonly Schema[], value: unknown): Schema | undefined {
  const fitting = options.filter(({ const: constant, type }) =>
    constant === undefined ? hasType(type, value) : value === constant,
  );
  const objects = options.filter(({ properties }) => properties !== undefined);
  if (objects.length < 2) return fitting[0];
  return fitting.find(
    ({ properties }) => !properties || Object.keys(value as object).join() === Object.keys(properties).join(),
  );
}

function hasType(type: Schema["type"], value: unknown): boolean {
  if (type === "array") return Array.isArray(value);
  if (type === "object") return typeof value === "object" && value !== null && !Array.isArray(value);
  if (typeof type === "object") return type.some((one) => hasType(one, value));
  if (type === "null") return value === null;
  if (type === "integer") return Number.isSafeInteger(value);
  if (type === "number") return Number.isFinite(value);
  return type === undefined || typeof value === type;
}

export function fits(schema: Schema, value: unknown): boolean {
  if (!hasType(schema.type, value)) return false;
  if (typeof value === "number")
    return (
      value >= (schema.minimum ?? -Infinity) &&
      value > (schema.exclusiveMinimum ?? -Infinity) &&
      value <= (schema.maximum ?? Infinity)
    );
  if (Array.isArray(value))
    return (
      value.length >= (schema.minItems ?? 0) &&
      value.length <= (schema.maxItems ?? Infinity) &&
      (!schema.uniqueItems || new Set(value).size === value.length)
    );
  if (typeof value === "string")
    return (
      value.length >= (schema.minLength ?? 0) &&
      value.length <= (schema.maxLength ?? Infinity) &&
      new RegExp(schema.pattern ?? "", "u").test(value) &&
      (schema.enum?.includes(value) ?? true)
    );
  const { propertyNames, maxProperties = Infinity } = schema;
  if (typeof value !== "object" || value === null) return true;
  const names = Object.keys(value);
  return names.length <= maxProperties && names.every((name) => !propertyNames || fits(propertyNames, name));
}

/** Completes a sentence that starts with "must be". */
function expected(schema: Schema, value: unknown, formats: Formats): string {
  const { type, minimum, maximum, maxLength } = schema;
  if (schema.errorMessage) return schema.errorMessage.replace(/^must be /, "");
  if (schema.format) return formats[schema.format]!.expected;
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return `one of ${schema.enum.join(", ")}`;
  if (schema.anyOf) return schema.anyOf.map((option) => expected(option, value, formats)).join(" or ");
  if (type === "integer")
    return maximum === undefined
      ? `a whole number of at least ${minimum}`
      : `a whole number from ${minimum} to ${maximum}`;
  if (type === "boolean") return "true or false";
  if (type === "null") return "null";
  if (type === "object") return "an object";
  if (type === "array") return schema.items ? `a list of ${plural(schema.items)}` : "a list";
  if (type === "number") return minimum === undefined ? "a number" : `a number from ${minimum} to ${maximum}`;
  return maxLength !== undefined && typeof value === "string" && value !== ""
    ? `a string of at most ${maxLength} characters`
    : "a non-empty string";
}

function plural({ type, format }: Schema): string {
  if (format === "duration") return "durations";
  if (format === "path") return "files and folders";
  if (format === "origin") return "origins such as http://localhost:5173";
  return type === "object" ? "objects" : "texts";
}
