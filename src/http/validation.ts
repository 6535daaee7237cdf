import type { FastifyServerOptions } from "fastify";
import type { Static, TSchema } from "typebox";
import Format from "typebox/format";
import { Check, Compile, Errors, Pointer, type Validator } from "typebox/schema";
import { TEXT_FORMATS } from "../schema/text-formats.ts";
import { readMoment } from "../world/duration.ts";
import { fieldPath } from "./field-path.ts";

export const FORMATS: Record<string, (value: string) => boolean> = {
  ...Object.fromEntries(Object.entries(TEXT_FORMATS).map(([name, { fits }]) => [name, fits])),
  moment: (value) => readMoment(value) !== undefined,
};

/** The first validation failure: the schema rule, and where it failed. */
export interface Violation {
  in: "body" | "querystring" | "params" | "headers";
  /** The path of the invalid field: `metadata.order`, `events[0]`; for `required`, the missing field. */
  field: string;
  keyword: string;
  /** The rule's parameters, such as `{ limit: 200 }`. */
  rule: Record<string, unknown>;
  /** The format's name, if a format failed. */
  format?: string;
  value: unknown;
  schema: Record<string, unknown>;
}

/** The error that the validators throw. Each area converts it to its own error format. */
export class ValidationError extends Error {
  readonly violation: Violation;
  constructor(violation: Violation) {
    super(`${violation.field} violates the rule ${violation.keyword}`);
    this.name = "ValidationError";
    this.violation = violation;
  }
}

for (const [name, check] of Object.entries(FORMATS)) Format.Set(name, check);

/** The result of a check: the value with defaults filled in, or the first rule that it violates. */
export type Checked<Value> =
  | { value: Value; error?: undefined }
  | { value?: undefined; error: ValidationError };

/**
 * Creates a checker for a schema. The schema is compiled only on the second check, because compiling takes 2 ms, which
 * does not pay off in a short-lived process. Bodies are checked as they are. Query strings are first converted,
 * strictly, to numbers and booleans.
 */
export function checkerOf<Schema extends TSchema>(
  schema: Schema,
  part: Violation["in"],
): (data: unknown) => Checked<Static<Schema>> {
  let isUsed = false;
  let validator: Validator | undefined;
  return (data) => {
    if (isUsed) validator ??= Compile(schema);
    isUsed = true;
    const input = part === "querystring" ? readQuery(data as Record<string, unknown>, schema) : (data ?? {});
    setDefaults(input, schema);
    const fits = validator ? validator.Check(input) : Check(schema, input);
    if (fits) return { value: input as Static<Schema> };
    return { error: new ValidationError(describe(Errors(schema, input)[1], schema, input, part)) };
  };
}

const validatorCompiler = ({ schema, httpPart }: { schema: TSchema; httpPart: Violation["in"] }) =>
  checkerOf(schema, httpPart);

/** Responses are written with JSON.stringify; the contract tests check them against their schemas. */
const serializerCompiler = () => JSON.stringify;

/** Pass both compilers to Fastify's constructor. Setting them later makes it load Ajv first (about 40 ms). */
export const schemaController: NonNullable<FastifyServerOptions["schemaController"]> = {
  compilersFactory: {
    // Fastify's types allow only Ajv's compilers.
    buildValidator: () => validatorCompiler as never,
    buildSerializer: () => serializerCompiler,
  },
};

interface ParameterSchema {
  type?: string;
  anyOf?: { type?: string }[];
  items?: { type?: string };
  default?: unknown;
  minLength?: number;
  format?: string;
}

interface ObjectSchema {
  additionalProperties?: boolean;
  properties?: Record<string, ParameterSchema>;
}

function setDefaults(input: unknown, { properties }: ObjectSchema): void {
  if (typeof input !== "object" || input === null || Array.isArray(input)) return;
  const fields = input as Record<string, unknown>;
  for (const name in properties) {
    const value = properties[name]!.default;
    if (value !== undefined && fields[name] === undefined) fields[name] = value;
  }
}

/**
 * Converts a query string's values to the schema's types. A value that does not fit is left unchanged, and validation
 * rejects it. An empty string, as from an empty form field, counts as no filter. Unknown parameters are dropped, unless
 * the schema is closed and therefore rejects them.
 */
function readQuery(query: Record<string, unknown>, schema: ObjectSchema): Record<string, unknown> {
  const refusesUnknown = schema.additionalProperties === false;
  const known = schema.properties ?? {};
  const isFilter = (name: string) => {
    const { type, default: preset, minLength, format } = known[name]!;
    return type === "string" && [preset, minLength, format].every((one) => one === undefined);
  };
  const read = Object.entries(query).filter(([name, value]) =>
    Object.hasOwn(known, name) ? value !== "" || !isFilter(name) : refusesUnknown,
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

type Failure = ReturnType<typeof Errors>[1][number];

function describe(failures: Failure[], schema: object, input: unknown, part: Violation["in"]): Violation {
  const telling = failures.filter(({ keyword }) => keyword !== "boolean");
  const failure = telling.length > 0 ? mostTelling(telling) : unknownField(failures[0]!);
  const { keyword, instancePath, schemaPath } = failure;
  const rule = failure.params as Record<string, unknown>;
  const parent = Pointer.Get(schema, schemaPath.slice(1)) as Record<string, unknown>;
  const path = Pointer.Indices(instancePath);
  const inName = /\/propertyNames$/.test(schemaPath);
  const value = inName ? path.pop() : Pointer.Get(input, instancePath);
  if (keyword === "required") path.push(...(rule.requiredProperties as string[]).slice(0, 1));
  if (keyword === "additionalProperties") path.push(...(rule.additionalProperties as string[]).slice(0, 1));
  return {
    in: part,
    field: fieldPath(input, path),
    keyword: inName ? "propertyNames" : keyword,
    rule,
    ...(keyword === "format" ? { format: String(rule.format) } : {}),
    value: value === undefined ? input : value,
    schema: parent,
  };
}

/**
 * TypeBox lists at most eight failures: one for each unknown field, then a summary. If there are eight unknown fields,
 * the summary is missing, so it is built from the first one.
 */
function unknownField(failure: Failure): Failure {
  const name = Pointer.Indices(failure.instancePath).at(-1)!;
  return {
    ...failure,
    keyword: "additionalProperties",
    schemaPath: failure.schemaPath.replace(/\/additionalProperties$/, ""),
    instancePath: failure.instancePath.slice(0, failure.instancePath.lastIndexOf("/")),
    params: { additionalProperties: [name] },
  } as Failure;
}

/** The most useful failure of a union: the most deeply nested one, a list of all accepted types, or else the first. */
function mostTelling(failures: Failure[]): Failure {
  const [first] = failures;
  const union = failures.find(
    ({ keyword, schemaPath }) => keyword === "anyOf" && first!.schemaPath.startsWith(`${schemaPath}/anyOf/`),
  );
  if (!union) return first!;
  const inner = failures.filter(
    ({ keyword, schemaPath, params }) =>
      schemaPath.startsWith(`${union.schemaPath}/anyOf/`) &&
      !(keyword === "type" && (params as { type: unknown }).type === "null"),
  );
  const rule = inner.find(({ keyword }) => keyword !== "type");
  if (rule) return rule;
  const types = inner.flatMap(({ params }) => (params as { type: string | string[] }).type);
  return inner[0] ? ({ ...inner[0], params: { type: types } } as Failure) : union;
}
