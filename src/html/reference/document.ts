import type { Keywords } from "../../schema/schema.ts";

/** The parts of a JSON Schema that the reference page shows. */
export interface Schema extends Keywords {
  $ref?: string;
  title?: string;
  properties?: Readonly<Record<string, Schema>>;
  items?: Schema;
  additionalProperties?: boolean | Schema;
  patternProperties?: Readonly<Record<string, Schema>>;
  anyOf?: readonly Schema[];
  deprecated?: boolean;
}

export interface Parameter {
  name: string;
  in: string;
  required: boolean;
  description?: string;
  schema: Schema;
}

export interface Body {
  description: string;
  headers?: Readonly<Record<string, { $ref: string }>>;
  content?: Readonly<Record<string, { schema: Schema }>>;
}

export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  /** The tags. The first one names the operation's section. An area may have no tags. */
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: { required: boolean; content: Readonly<Record<string, { schema: Schema }>> };
  responses: Readonly<Record<string, Body>>;
  security?: readonly object[];
}

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

/** The parts of an OpenAPI document from `http/openapi.ts` that the reference page shows. */
export interface ReferenceDocument {
  info: { title: string; version: string; description: string };
  servers: readonly { url: string }[];
  paths: Readonly<Record<string, { readonly [Method in (typeof METHODS)[number]]?: Operation }>>;
  components: {
    schemas: Readonly<Record<string, Schema>>;
    headers?: Readonly<Record<string, { description: string; schema: Schema }>>;
  };
  security?: readonly object[];
  /** A valid API key for this sandbox, for the curl commands. */
  "x-example-key"?: string;
}

export interface Endpoint {
  id: string;
  method: string;
  path: string;
  operation: Operation;
}

const SCHEMA = "#/components/schemas/";

/** Resolves a schema's `$ref`. */
export const resolve = ({ components }: ReferenceDocument, schema: Schema): Schema =>
  schema.$ref === undefined ? schema : components.schemas[schema.$ref.slice(SCHEMA.length)]!;

/** Converts text to a string that is valid as an `id` and as a URL fragment. */
export const anchor = (text: string): string =>
  text.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "") || "item";

/** All operations of the document, in the document's order. */
export const endpointsOf = ({ paths }: ReferenceDocument): Endpoint[] =>
  Object.entries(paths).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = item[method];
      return operation
        ? [{ id: anchor(operation.operationId), method: method.toUpperCase(), path, operation }]
        : [];
    }),
  );
