import { unknownField } from "../errors/closest.ts";
import { TEXT_FORMATS } from "../schema/text-formats.ts";
import type { Violation } from "./validation.ts";

const FORMAT_RULES: Record<string, string> = {
  ...Object.fromEntries(Object.entries(TEXT_FORMATS).map(([name, { expected }]) => [name, expected])),
  moment: "an ISO 8601 point in time (for example 2026-01-15T09:30:00Z), or milliseconds since the epoch",
};

/** A sentence that explains a schema violation: the field, the rule with its limit, and the value. */
export function violationMessage(violation: Violation): string {
  const { field, keyword, rule, value, schema } = violation;
  if (field === "") return `The request body must be a JSON object, not ${kindOf(value)}.`;
  if (keyword === "required") return `Missing required field: ${field}.`;
  if (keyword === "additionalProperties") {
    const names = Object.keys((schema.properties as object | undefined) ?? {});
    return unknownField(field, names, violation.in === "querystring" ? "query parameter" : "field");
  }
  return `${field} ${explain(violation, rule)}, not ${shown(value)}.`;
}

function explain({ keyword, format, schema }: Violation, rule: Record<string, unknown>): string {
  switch (keyword) {
    case "type":
      return `must be ${[rule.type]
        .flat()
        .map((type) => article(String(type)))
        .join(" or ")}${bounds(schema)}`;
    case "format":
      return `must be ${FORMAT_RULES[format!] ?? format}`;
    case "minLength":
    case "maxLength":
      return `must have ${lengthOf(schema)}`;
    case "minimum":
    case "maximum":
    case "exclusiveMinimum":
      return `must be${bounds(schema).replace(" of ", " ")}`;
    case "enum":
      return `must be one of ${(rule.allowedValues as unknown[]).join(", ")}`;
    case "const":
      return `must be ${clip(rule.allowedValue)}`;
    case "pattern":
      return `must match ${rule.pattern}`;
    case "maxItems":
    case "minItems":
      return `must have ${schema.minItems ?? 0} to ${schema.maxItems ?? "any number of"} items`;
    case "uniqueItems":
      return "must not contain the same value twice";
    case "maxProperties":
      return `must have at most ${rule.limit} keys`;
    case "propertyNames":
      return `must have keys of ${lengthOf(schema)}`;
    default:
      return `violates the rule ${keyword}`;
  }
}

/** A string's required length in words: `1 to 64 characters`, `at least 1 character`. */
function lengthOf({ minLength = 0, maxLength }: Record<string, unknown>): string {
  if (maxLength !== undefined) return `${minLength} to ${maxLength} characters`;
  return `at least ${minLength} character${minLength === 1 ? "" : "s"}`;
}

function bounds(schema: Record<string, unknown>): string {
  const { minimum, maximum, exclusiveMinimum } = schema;
  if (minimum !== undefined && maximum !== undefined) return ` from ${minimum} to ${maximum}`;
  if (minimum !== undefined) return ` of at least ${minimum}`;
  if (exclusiveMinimum !== undefined)
    return ` above ${exclusiveMinimum}${maximum === undefined ? "" : ` and at most ${maximum}`}`;
  return maximum === undefined ? "" : ` of at most ${maximum}`;
}

function article(type: string): string {
  if (type === "null") return "null";
  return /^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`;
}

/** Formats a value for use in a message, shortening it if necessary. */
export function clip(value: unknown, length = 80): string {
  const text = typeof value === "string" ? value : (JSON.stringify(value) ?? String(value));
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** The type of a JSON value, worded for use in a sentence. */
export function kindOf(value: unknown): string {
  return Array.isArray(value) ? "an array" : value === null ? "null" : `a ${typeof value}`;
}

function shown(value: unknown): string {
  if (typeof value === "string")
    return value.length > 80 ? `a string of ${value.length} characters` : `'${value}'`;
  if (Array.isArray(value)) return value.length > 5 ? `an array of ${value.length} items` : clip(value);
  return value !== null && typeof value === "object" ? clip(value, 40) : String(value);
}
