import type { Options, ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect } from "vitest";
import { FORMATS } from "../../src/http/validation.ts";
import type { Answer, Json } from "./sandbox.ts";

type Schema = Json;

/** An operation in an OpenAPI document. */
export interface Operation {
  method: string;
  path: string;
  spec: Json;
}

export function operationsOf(document: Json): Operation[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as object).map(([method, spec]) => ({ method: method.toUpperCase(), path, spec })),
  );
}

/** All values of properties named `key`, at any depth. */
export function collect(value: unknown, key: string): unknown[] {
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([name, item]) => [
    ...(name === key ? [item] : []),
    ...collect(item, key),
  ]);
}

/** The names of all fields of a value, at any depth. */
export function fieldNames(value: unknown, names = new Set<string>()): Set<string> {
  if (value === null || typeof value !== "object") return names;
  for (const [name, item] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name);
    fieldNames(item, names);
  }
  return names;
}

export function resolveRef(document: Json, ref: string): unknown {
  return ref
    .replace(/^#\//, "")
    .split("/")
    .reduce((value: Json, part) => value?.[part.replaceAll("~1", "/").replaceAll("~0", "~")], document);
}

/** The schema of an operation's body; undefined if it accepts none. */
export function bodySchema(document: Json, spec: Json): Json {
  const schema = spec.requestBody?.content["application/json"].schema;
  return schema?.$ref === undefined ? schema : resolveRef(document, schema.$ref);
}

/**
 * Copies a schema so that objects may have only the documented properties, and so that references to parts of the
 * document work outside it.
 */
function closed(schema: Schema): Schema {
  if (Array.isArray(schema)) return schema.map(closed);
  if (schema === null || typeof schema !== "object") return schema;
  if (typeof schema.$ref === "string") return { ...schema, $ref: `document${schema.$ref}` };
  const copy = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  const open = copy.additionalProperties === undefined && copy.patternProperties === undefined;
  return copy.type === "object" && copy.properties !== undefined && open
    ? { ...copy, additionalProperties: false }
    : copy;
}

/** Most schemas are compiled to check only one value, so optimizing their code takes longer than it saves. */
export const QUICK: Options = { validateSchema: false, inlineRefs: false, code: { optimize: false } };

/**
 * Checks responses against a document: every status must be documented, and every body must match its schema without
 * additional properties.
 */
export function contractOf(document: Json) {
  // Each part of the document is compiled only once. test/contract/openapi.test.ts checks that it is a valid schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS, ...QUICK });
  ajv.addSchema({ components: closed(document.components) }, "document");
  const compiled = new Map<string, ValidateFunction>();
  const seen = new Set<string>();

  return {
    /** The operations whose responses have been checked, as `GET /path`. */
    seen,
    check(method: string, path: string, answer: Answer): Json {
      const spec = document.paths[path]?.[method.toLowerCase()];
      const about = `${method} ${path} ${answer.status} ${answer.text.slice(0, 400)}`;
      const schema = spec?.responses[answer.status]?.content?.["application/json"]?.schema;
      expect(schema, `undocumented: ${about}`).toBeDefined();
      const name = `${method} ${path} ${answer.status}`;
      let validate = compiled.get(name);
      if (!validate) {
        validate = ajv.compile(closed(schema));
        compiled.set(name, validate);
      }
      expect(answer.headers.get("content-type"), about).toMatch(/^application\/json/);
      const valid = validate(answer.body);
      expect(valid ? [] : validate.errors!.slice(0, 3), about).toEqual([]);
      if (answer.status < 300) seen.add(`${method} ${path}`);
      return answer.body;
    },
  };
}
