import { createRequire } from "node:module";
import type { ErrorObject, ValidateFunction } from "ajv";
import type { FastifySchemaCompiler, FastifySerializerCompiler, FastifyServerOptions } from "fastify";
import { readInstant, readMoment } from "../world/duration.ts";

const require = createRequire(import.meta.url);

/** String formats that the schemas use. */
export const FORMATS: Record<string, (value: string) => boolean> = {
  address: (value) => /^0x[0-9a-fA-F]{40}$/.test(value),
  amount: (value) => /^[0-9]{1,78}$/.test(value),
  instant: (value) => readInstant(value) !== undefined,
  moment: (value) => readMoment(value) !== undefined,
  "http-url": isHttpUrl,
  email: (value) => /^[^\s@]{1,64}@[^\s@]{1,250}\.[^\s@.]{2,}$/.test(value),
};

/** What a validation found first: the schema rule that failed, and where. */
export interface Violation {
  in: "body" | "querystring" | "params" | "headers";
  /** Path of the offending field: `metadata.order`, `events.0`; the missing field itself for `required`. */
  field: string;
  keyword: string;
  /** The rule's own parameters, for example `{ limit: 200 }`. */
  rule: Record<string, unknown>;
  /** The format's name, when a format failed. */
  format?: string;
  value: unknown;
  schema: Record<string, unknown>;
}

/** Thrown by the validators; each area translates it into its own error form. */
export class ValidationError extends Error {
  readonly violation: Violation;
  constructor(violation: Violation) {
    super(`${violation.field} breaks the rule ${violation.keyword}`);
    this.name = "ValidationError";
    this.violation = violation;
  }
}

let compileSchema: ((schema: object) => ValidateFunction) | undefined;

function compiler(): (schema: object) => ValidateFunction {
  if (!compileSchema) {
    const { Ajv } = require("ajv") as typeof import("ajv");
    const ajv = new Ajv({
      strict: false,
      // 1e400 is read as Infinity, which no answer could repeat.
      strictNumbers: true,
      useDefaults: true,
      coerceTypes: false,
      verbose: true,
      formats: FORMATS,
      addUsedSchema: false,
      // Our own schemas are checked by their types and by the tests, not again at start-up.
      meta: false,
      validateSchema: false,
    });
    compileSchema = (schema) => ajv.compile(schema);
  }
  return compileSchema;
}

/**
 * Fastify's validator compiler: compiles at the first request of a route, so that start-up pays for none.
 * Bodies are taken as they are; query strings become numbers and flags first, strictly.
 */
export const validatorCompiler: FastifySchemaCompiler<object> = ({ schema, httpPart }) => {
  let validate: ValidateFunction | undefined;
  const part = (httpPart ?? "body") as Violation["in"];
  return (data: unknown) => {
    validate ??= compiler()(schema);
    const input =
      part === "querystring"
        ? readQuery(data as Record<string, unknown>, schema as ObjectSchema)
        : (data ?? {});
    if (validate(input)) return { value: input };
    return { error: new ValidationError(describe(validate.errors!, input, part)) };
  };
};

/** Answers are written by JSON.stringify; that they keep to their schemas is held by the contract tests. */
const serializerCompiler: FastifySerializerCompiler<unknown> = () => JSON.stringify;

/**
 * Both, as Fastify wants to hear of them when it is made: told later, it would have loaded compilers of its own, which
 * take as long as all the rest of it.
 */
export const schemaController: NonNullable<FastifyServerOptions["schemaController"]> = {
  compilersFactory: {
    buildValidator: () => validatorCompiler as never,
    buildSerializer: () => serializerCompiler as never,
  },
};

interface ObjectSchema {
  additionalProperties?: boolean;
  properties?: Record<string, { type?: string; anyOf?: { type?: string }[]; items?: { type?: string } }>;
}

/**
 * Turns the texts of a query string into what the schema asks for; what does not fit stays text and fails there.
 * Parameters that the schema does not know are left out, unless it is closed and refuses them.
 */
function readQuery(query: Record<string, unknown>, schema: ObjectSchema): Record<string, unknown> {
  const refusesUnknown = schema.additionalProperties === false;
  const read = Object.entries(query).filter(
    ([name]) => refusesUnknown || Object.hasOwn(schema.properties ?? {}, name),
  );
  return Object.fromEntries(
    read.map(([name, value]) => {
      const rule = schema.properties?.[name];
      if (rule?.type !== "array") return [name, readText(value, rule?.type)];
      return [name, [value].flat().map((item) => readText(item, rule.items?.type))];
    }),
  );
}

function readText(value: unknown, type: string | undefined): unknown {
  if (typeof value !== "string") return value;
  if ((type === "integer" || type === "number") && /^-?\d{1,16}$/.test(value)) {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : value;
  }
  if (type === "boolean" && (value === "true" || value === "false")) return value === "true";
  return value;
}

function describe(errors: ErrorObject[], input: unknown, part: Violation["in"]): Violation {
  const error = deepest(errors);
  const params = error.params as Record<string, unknown>;
  const path = error.instancePath.split("/").slice(1).map(unescapePointer);
  if (error.keyword === "required") path.push(String(params.missingProperty));
  if (error.keyword === "additionalProperties") path.push(String(params.additionalProperty));
  return {
    in: part,
    field: path.join("."),
    keyword: error.propertyName === undefined ? error.keyword : "propertyNames",
    rule: params,
    ...(error.keyword === "format" ? { format: String(params.format) } : {}),
    value: path.length > 0 && error.data === undefined ? input : error.data,
    schema: (error.parentSchema ?? {}) as Record<string, unknown>,
  };
}

/** Of the errors of a union, the one furthest inside says most, or all the types it takes; else the first. */
function deepest(errors: ErrorObject[]): ErrorObject {
  const union = errors.at(-1)!;
  if (union.keyword !== "anyOf") return errors[0]!;
  const inner = errors.filter(
    (error) => error !== union && !(error.keyword === "type" && error.params.type === "null"),
  );
  const rule = inner.find((error) => error.keyword !== "type");
  if (rule) return rule;
  const types = inner.flatMap((error) => error.params.type as string | string[]);
  return inner[0] ? { ...inner[0], params: { type: types } } : union;
}

function unescapePointer(part: string): string {
  return part.replaceAll("~1", "/").replaceAll("~0", "~");
}

/** An absolute http or https URL without white space or control characters. */
export function isHttpUrl(value: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\s\u0000-\u001f\u007f]/.test(value) || !/^https?:\/\/[^/]/i.test(value)) return false;
  return URL.canParse(value);
}
