import { Ajv2020 } from "ajv/dist/2020.js";
import { beforeAll, describe, expect, test } from "vitest";
import { FORMATS } from "../../src/http/validation.ts";
import { bodySchema, collect, operationsOf, QUICK, resolveRef } from "../support/openapi.ts";
import type { Json } from "../support/sandbox.ts";
import { sharedSandbox } from "../support/shared.ts";

const sandbox = sharedSandbox();
const documents: Record<string, Json> = {};
beforeAll(async () => {
  documents.platform = (await sandbox.call("GET", "/platform/openapi.json")).body;
  documents.data = (await sandbox.call("GET", "/data/openapi.json")).body;
  documents.game = (await sandbox.call("GET", "/game/openapi.json")).body;
  documents.control = (await sandbox.call("GET", "/_sandbox/openapi.json")).body;
});

/** Operations that respond with a stream, or with whatever a user configured. */
const WITHOUT_SCHEMA = new Set([
  "followScenarioRun",
  "downloadReport",
  "latestReport",
  "downloadScenarioReport",
  "downloadExplorationReport",
  "live",
  "postToInbox",
  "downloadSnapshot",
]);

describe.each(["platform", "data", "game", "control"])("the %s OpenAPI document", (name) => {
  test("the OpenAPI document has the structure of OpenAPI 3.1", () => {
    const document = documents[name];
    expect(document.openapi).toBe("3.1.0");
    expect(document.info).toEqual({
      title: expect.stringMatching(/\S/),
      description: expect.stringMatching(/\S/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const base = name === "control" ? "_sandbox" : name;
    expect(document.servers).toEqual([{ url: `${sandbox.url}/${base}` }]);
    const known = ["openapi", "info", "servers", "security", "paths", "components", "tags"];
    for (const key of Object.keys(document))
      expect(key.startsWith("x-") || known.includes(key), key).toBe(true);
    for (const [path, methods] of Object.entries(document.paths)) {
      expect(path).toMatch(/^\/[A-Za-z0-9_\-/{}.]*$/);
      for (const method of Object.keys(methods as object))
        expect(["get", "post", "put", "patch", "delete"], `${method} ${path}`).toContain(method);
    }
  });

  test("the OpenAPI document resolves every reference and has no unused component", () => {
    const document = documents[name];
    const refs = new Set(collect(document, "$ref") as string[]);
    expect(refs.size).toBeGreaterThan(10);
    for (const ref of refs) expect(resolveRef(document, ref), ref).toBeTypeOf("object");
    for (const component of Object.keys(document.components.schemas))
      expect(refs, component).toContain(`#/components/schemas/${component}`);
  });

  test("the OpenAPI document describes every operation", () => {
    const document = documents[name];
    const operations = operationsOf(document);
    const ids = operations.map(({ spec }) => spec.operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { method, path, spec } of operations) {
      const about = `${method} ${path}`;
      expect(spec.operationId, about).toMatch(/^[a-z][A-Za-z]+$/);
      expect(spec.summary, about).toMatch(/\S/);
      expect(spec.tags, about).toHaveLength(1);
      expect(method === "GET" && spec.requestBody, about).toBeFalsy();
      expect(
        Object.keys(spec.responses).some((status) => status.startsWith("2")),
        about,
      ).toBe(true);
      for (const [status, response] of Object.entries<Json>(spec.responses)) {
        expect(status).toMatch(/^[1-5]\d\d$/);
        expect(response.description, about).toMatch(/\S/);
        if (!status.startsWith("2") || !WITHOUT_SCHEMA.has(spec.operationId))
          expect(response.content["application/json"].schema, `${about} ${status}`).toBeTypeOf("object");
      }
      if (spec.requestBody) {
        expect(spec.requestBody.content["application/json"].schema, about).toBeTypeOf("object");
        expect(spec.requestBody.required, about).toBeTypeOf("boolean");
      }
    }
  });

  test("the OpenAPI document declares each path parameter exactly once", () => {
    for (const { method, path, spec } of operationsOf(documents[name])) {
      const parameters: Json[] = spec.parameters ?? [];
      const named = parameters.map((parameter) => `${parameter.in} ${parameter.name}`);
      expect(new Set(named).size, `${method} ${path}`).toBe(named.length);
      const inPath = parameters.filter((parameter) => parameter.in === "path");
      expect(inPath.map((parameter) => parameter.name).sort(), path).toEqual(
        [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]).sort(),
      );
      for (const parameter of parameters) {
        expect(["path", "query", "header"]).toContain(parameter.in);
        expect(parameter.required, parameter.name).toBe(parameter.in === "path" || parameter.required);
        expect(parameter.schema, parameter.name).toBeTypeOf("object");
      }
    }
  });

  test("the OpenAPI document does not require request fields that have a default", () => {
    const document = documents[name];
    for (const { method, path, spec } of operationsOf(document)) {
      const body = bodySchema(document, spec) ?? {};
      for (const option of body.anyOf ?? [body]) {
        const { properties = {}, required = [] } = option.$ref ? resolveRef(document, option.$ref) : option;
        for (const [field, rule] of Object.entries<Json>(properties))
          if (rule.default !== undefined) expect(required, `${method} ${path}`).not.toContain(field);
      }
      for (const parameter of spec.parameters ?? [])
        if (parameter.schema.default !== undefined)
          expect(parameter.required, `${parameter.name} of ${method} ${path}`).toBe(false);
    }
  });

  test("the OpenAPI document has valid schemas, with matching examples and defaults", () => {
    const document = documents[name];
    // All components are validated against the rules for schemas once, at the end.
    const ajv = new Ajv2020({ strict: false, formats: FORMATS, ...QUICK });
    const checked = new Set<string>();
    const check = (schema: Json): void => {
      if (schema === null || typeof schema !== "object") return;
      const text = JSON.stringify(schema);
      if (checked.has(text)) return;
      checked.add(text);
      if (!Array.isArray(schema) && (schema.examples !== undefined || schema.default !== undefined)) {
        const validate = ajv.compile({ ...schema, components: document.components });
        for (const example of [
          ...(schema.examples ?? []),
          ...(schema.default === undefined ? [] : [schema.default]),
        ])
          expect(validate(example), `${JSON.stringify(example)} for ${JSON.stringify(schema)}`).toBe(true);
      }
      // Properties may have names such as default, which are keywords elsewhere.
      const { properties = {}, ...parts } = schema;
      for (const part of [...Object.values(properties), ...Object.values(parts)]) check(part);
    };
    check(document.components.schemas);
    check(document.paths);
    const all = Object.keys(document.components.schemas);
    const anyOf = all.map((component) => ({ $ref: `#/components/schemas/${component}` }));
    const every = { anyOf, components: document.components };
    expect(new Ajv2020({ strict: false }).validateSchema(every)).toBe(true);
    ajv.compile(every);
    const formats = new Set(collect(document, "format"));
    for (const format of formats) expect(Object.keys(FORMATS)).toContain(format);
  });
});

test("the chain data OpenAPI document has the contract's version", () => {
  expect(documents.data.info.version).toBe("1.0.0");
});

test("the numeric fields of a price are numbers or absent, never null", () => {
  const { properties, required } = documents.data.components.schemas.PriceData;
  expect(required).toBeUndefined();
  expect(collect(properties, "type")).toEqual([...Array.from({ length: 7 }, () => "number"), "string"]);
});

test("the platform's OpenAPI document declares both key headers, and Idempotency-Key on each POST and PATCH", () => {
  const { components, security, paths, "x-example-key": key } = documents.platform;
  expect(security.map((entry: object) => Object.keys(entry)[0])).toEqual(
    Object.keys(components.securitySchemes),
  );
  expect(key).toBe(sandbox.keys.write);
  expect(documents.control.security).toBeUndefined();
  for (const { method, path, spec } of operationsOf({ paths })) {
    const headers = (spec.parameters ?? []).filter((parameter: Json) => parameter.in === "header");
    const names = headers.map((parameter: Json) => parameter.name);
    expect(names, `${method} ${path}`).toEqual(/^(POST|PATCH)$/.test(method) ? ["Idempotency-Key"] : []);
  }
});

test.each([
  ["platform", "/platform"],
  ["control", "/_sandbox"],
])("every list in the %s API treats an empty text filter as no filter", async (name, base) => {
  const lists = operationsOf(documents[name]).flatMap(({ method, path, spec }) => {
    const taken = (spec.parameters ?? []).filter(
      ({ in: place, required, schema }: Json) =>
        place === "query" &&
        !required &&
        schema.type === "string" &&
        ["default", "minLength", "format"].every((rule) => schema[rule] === undefined),
    );
    // A stream never ends, and the list of requests grows when it is read.
    const isList = method === "GET" && !path.includes("{") && !["/live", "/requests"].includes(path);
    return isList ? taken.map((one: Json) => ({ path: base + path, parameter: one.name })) : [];
  });
  expect(lists.length).toBeGreaterThan(4);
  for (const { path, parameter } of lists) {
    const ask = (query: string) => sandbox.call("GET", path + query, { key: sandbox.keys.write });
    const [without, empty] = [await ask(""), await ask(`?${parameter}=`)];
    expect({ path, parameter, status: empty.status, body: empty.body }).toEqual({
      ...{ path, parameter },
      ...{ status: without.status, body: without.body },
    });
  }
});
