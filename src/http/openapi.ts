import Fastify, { type RouteOptions } from "fastify";
import { type App, registerScope, type TypeBoxProvider } from "./types.ts";
import { schemaController } from "./validation.ts";

export interface OpenApiInfo {
  title: string;
  description: string;
  version: string;
  /** The URL of the API that the document describes. */
  server: string;
  /** An API key for the examples. If present, operations require a key. */
  exampleKey?: string;
  /** Headers that any response may contain, each with a note on when it does. */
  answerHeaders?: Record<string, string>;
}

/** JSON whose undefined values are omitted from the output. */
type Json = undefined | null | boolean | number | string | Json[] | { [name: string]: Json };
type JsonObject = { [name: string]: Json };

export interface OpenApiDocument extends JsonObject {
  paths: JsonObject;
}

const API_KEY_SECURITY: JsonObject = {
  bearer: { type: "http", scheme: "bearer", description: "Authorization: Bearer <API key>" },
  header: { type: "apiKey", in: "header", name: "X-API-Key" },
};

/**
 * Generates the OpenAPI 3.1 document for routes from their schemas. To do so, it registers the routes on a server that
 * never listens.
 * @param register registers the routes
 */
export async function describeRoutes(
  register: (app: App) => unknown,
  info: OpenApiInfo,
): Promise<OpenApiDocument> {
  const options = { schemaController, exposeHeadRoutes: false, pluginTimeout: 0 };
  const app: App = Fastify(options).withTypeProvider<TypeBoxProvider>();
  const routes: RouteOptions[] = [];
  app.addHook("onRoute", (route) => void routes.push(route));
  await registerScope(app, register);
  await app.ready();
  await app.close();

  const components: JsonObject = {};
  const paths: JsonObject = {};
  for (const route of routes) {
    const schema = route.schema as RouteSchema | undefined;
    if (schema?.operationId === undefined) continue;
    const path = route.url.replace(/:([a-z_]+)/g, "{$1}");
    const methods = (paths[path] ?? {}) as JsonObject;
    paths[path] = methods;
    for (const method of [route.method].flat())
      methods[method.toLowerCase()] = operation(method, schema, components, info);
  }
  return {
    openapi: "3.1.0",
    info: { title: info.title, description: info.description, version: info.version },
    servers: [{ url: info.server }],
    "x-example-key": info.exampleKey,
    security: info.exampleKey && [{ bearer: [] }, { header: [] }],
    paths,
    components: {
      schemas: sorted(components),
      headers: headersOf(info, (_name, description) => ({ description, schema: { type: "string" } })),
      securitySchemes: info.exampleKey && API_KEY_SECURITY,
    },
  };
}

interface RouteSchema {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: string[];
  params?: JsonObject;
  querystring?: JsonObject;
  headers?: JsonObject;
  body?: JsonObject;
  response?: Record<string, JsonObject>;
  /** Content types other than JSON that a successful response can have. */
  produces?: string[];
  /** Whether the operation can be called without an API key. */
  keyOptional?: boolean;
}

const STATUS_TEXT: Record<string, string> = {
  200: "Done",
  201: "Created",
  400: "The request is malformed or has invalid parameters",
  401: "The key is missing, invalid, expired or revoked",
  403: "Not permitted",
  404: "The resource does not exist",
  405: "The method is not allowed",
  409: "It conflicts with the current state",
  413: "The body is too large",
  415: "The content type is not supported",
  429: "Too many requests in the window",
  500: "Unexpected error",
};

function operation(
  method: string,
  schema: RouteSchema,
  components: JsonObject,
  info: OpenApiInfo,
): JsonObject {
  const parameters = [
    ...parametersOf(schema.params, "path", components),
    ...parametersOf(schema.querystring, "query", components),
    ...parametersOf(schema.headers, "header", components),
  ];
  const responses = Object.entries(schema.response ?? { 200: {} }).map(([status, body]) => [
    status,
    {
      description: STATUS_TEXT[status] ?? `Status ${status}`,
      headers: headersOf(info, (name) => ({ $ref: `#/components/headers/${name}` })),
      content:
        Object.keys(body).length === 0
          ? undefined
          : { ...json(hoist(body, components)), ...(status === "200" && otherTypes(schema)) },
    },
  ]);
  if (info.exampleKey !== undefined && (method === "POST" || method === "PATCH"))
    parameters.push({
      name: "Idempotency-Key",
      in: "header",
      required: false,
      schema: { type: "string", minLength: 1, maxLength: 256 },
      description: "For 24 hours, the same key returns the same response.",
    });
  return {
    operationId: schema.operationId!,
    summary: schema.summary,
    description: schema.description,
    tags: schema.tags ?? [],
    security: schema.keyOptional && [{}, { bearer: [] }, { header: [] }],
    parameters: parameters.length > 0 ? parameters : undefined,
    requestBody: schema.body && requestBody(schema.body, components),
    responses: Object.fromEntries(responses) as JsonObject,
  };
}

/** The `headers` of the components or of a response; undefined if there are no headers. */
const headersOf = (
  { answerHeaders }: OpenApiInfo,
  describe: (name: string, description: string) => JsonObject,
): JsonObject | undefined =>
  answerHeaders &&
  Object.fromEntries(Object.entries(answerHeaders).map(([name, text]) => [name, describe(name, text)]));

const otherTypes = ({ produces = [] }: RouteSchema): JsonObject =>
  Object.fromEntries(produces.map((type) => [type, { schema: { type: "string" } }]));
const json = (schema: Json): JsonObject => ({ "application/json": { schema } });

function requestBody(body: JsonObject, components: JsonObject): JsonObject {
  const sent = asSent(body);
  const isRequired = [sent.anyOf ?? [sent]]
    .flat()
    .every((option) => requiredOf(option as JsonObject).length > 0);
  return { required: isRequired, content: json(hoist(sent, components)) };
}

/** The schema of a request body, or of each of its alternatives, as clients send it. */
function asSent(body: JsonObject): JsonObject {
  if (Array.isArray(body.anyOf)) return { ...body, anyOf: (body.anyOf as JsonObject[]).map(asSent) };
  return body.required === undefined ? body : { ...body, required: requiredOf(body) };
}

/** The required fields of a part of a request. Fields with a default are not required. */
function requiredOf({ properties = {}, required = [] }: JsonObject): string[] {
  const rules = properties as Record<string, JsonObject>;
  return (required as string[]).filter((name) => rules[name]?.default === undefined);
}
function parametersOf(
  schema: JsonObject | undefined,
  place: "path" | "query" | "header",
  components: JsonObject,
): JsonObject[] {
  const properties = (schema?.properties ?? {}) as Record<string, JsonObject>;
  const required = requiredOf(schema ?? {});
  return Object.entries(properties).map(([name, rule]) => {
    const { description, ...rest } = hoist(rule, components) as JsonObject;
    return {
      name,
      in: place,
      required: place === "path" || required.includes(name),
      schema: rest,
      description,
    };
  });
}

/** Copies a schema. Parts with a title become components of that name. */
function hoist(schema: Json, components: JsonObject): Json {
  if (Array.isArray(schema)) return schema.map((item) => hoist(item, components));
  if (schema === null || typeof schema !== "object") return schema;
  const { title, properties, ...rest } = schema;
  const each = (of: JsonObject) =>
    Object.fromEntries(Object.entries(of).map(([name, value]) => [name, hoist(value, components)]));
  // A property may have the same name as a keyword, such as title.
  const copy =
    properties === undefined ? each(rest) : { ...each(rest), properties: each(properties as JsonObject) };
  if (typeof title !== "string" || rest.type !== "object") return copy;
  components[title] ??= copy;
  return { $ref: `#/components/schemas/${title}` };
}

function sorted(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)));
}
