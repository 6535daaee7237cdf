/** A JSON Schema of OpenAPI 3.1, as far as the reference page shows it. */
export interface Schema {
  $ref?: string;
  $id?: string;
  title?: string;
  description?: string;
  type?: string | readonly string[];
  nullable?: boolean;
  properties?: Readonly<Record<string, Schema>>;
  required?: readonly string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  patternProperties?: Readonly<Record<string, Schema>>;
  anyOf?: readonly Schema[];
  oneOf?: readonly Schema[];
  const?: unknown;
  enum?: readonly unknown[];
  format?: string;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  maxProperties?: number;
  default?: unknown;
  examples?: readonly unknown[];
  deprecated?: boolean;
}

export interface MediaType {
  schema?: Schema;
}

export interface Parameter {
  $ref?: string;
  name?: string;
  in?: string;
  required?: boolean;
  description?: string;
  schema?: Schema;
}

export interface Body {
  $ref?: string;
  description?: string;
  required?: boolean;
  headers?: Readonly<Record<string, { description?: string; schema?: Schema }>>;
  content?: Readonly<Record<string, MediaType>>;
}

type Security = readonly Readonly<Record<string, readonly string[]>>[];
type Servers = readonly { url: string; description?: string }[];

export interface Operation {
  operationId?: string;
  summary?: string;
  description?: string;
  tags?: readonly string[];
  parameters?: readonly Parameter[];
  requestBody?: Body;
  responses?: Readonly<Record<string, Body>>;
  security?: Security;
  servers?: Servers;
}

type PathItem = { readonly [method in (typeof methods)[number]]?: Operation } & {
  summary?: string;
  parameters?: readonly Parameter[];
  servers?: Servers;
};

/** An OpenAPI 3.1 document, as far as the reference page shows it. */
export interface ReferenceDocument {
  info?: { title?: string; version?: string; description?: string };
  servers?: Servers;
  paths?: Readonly<Record<string, PathItem>>;
  components?: {
    schemas?: Readonly<Record<string, Schema>>;
    parameters?: Readonly<Record<string, Parameter>>;
    requestBodies?: Readonly<Record<string, Body>>;
    responses?: Readonly<Record<string, Body>>;
  };
  security?: Security;
  /** A key that works in this sandbox, for the curl lines. */
  "x-example-key"?: string;
}

const methods = ["get", "post", "put", "patch", "delete", "head", "options"] as const;

/** One operation with what its path and document say about it filled in. */
export interface Endpoint {
  /** A unique anchor: the operationId where there is one. */
  id: string;
  method: string;
  path: string;
  tag: string;
  summary: string;
  operation: Operation;
  parameters: readonly Parameter[];
  server: string;
  security: Security;
}

/** What `$ref` names (a local JSON pointer), followed to its end; undefined for what is not there. */
export function resolve<T extends object>(
  document: ReferenceDocument,
  node: T & { $ref?: string },
): T | undefined {
  let target: (T & { $ref?: string }) | undefined = node;
  for (let hops = 0; target?.$ref !== undefined; hops += 1) {
    if (hops > 20 || !target.$ref.startsWith("#/")) return undefined;
    let step: unknown = document;
    for (const part of target.$ref.slice(2).split("/")) {
      const key = part.replaceAll("~1", "/").replaceAll("~0", "~");
      step =
        typeof step === "object" && step !== null && Object.hasOwn(step, key)
          ? Reflect.get(step, key)
          : undefined;
    }
    target = typeof step === "object" && step !== null ? (step as T & { $ref?: string }) : undefined;
  }
  return target;
}

/** Text as it may stand in an `id` and behind a `#`. */
export function anchor(text: string): string {
  return text.replace(/[^A-Za-z0-9_.-]+/g, "-").replace(/^-+|-+$/g, "") || "item";
}

/** Every operation of the document, in its order, with unique anchors. */
export function endpointsOf(document: ReferenceDocument): Endpoint[] {
  const taken = new Set<string>();
  const endpoints: Endpoint[] = [];
  for (const [path, item] of Object.entries(document.paths ?? {})) {
    for (const method of methods) {
      const operation = item[method];
      if (!operation) continue;
      const wanted = anchor(operation.operationId ?? method + path);
      let id = wanted;
      for (let count = 2; taken.has(id); count += 1) id = `${wanted}-${count}`;
      taken.add(id);
      endpoints.push({
        id,
        method: method.toUpperCase(),
        path,
        tag: operation.tags?.[0] ?? "Other",
        summary: operation.summary ?? operation.operationId ?? path,
        operation,
        parameters: parametersOf(document, item.parameters ?? [], operation.parameters ?? []),
        server: (operation.servers ?? item.servers ?? document.servers)?.[0]?.url ?? "",
        security: operation.security ?? document.security ?? [],
      });
    }
  }
  return endpoints;
}

function parametersOf(
  document: ReferenceDocument,
  shared: readonly Parameter[],
  own: readonly Parameter[],
): Parameter[] {
  const byName = new Map<string, Parameter>();
  for (const parameter of [...shared, ...own]) {
    const resolved = resolve(document, parameter);
    if (resolved?.name !== undefined) byName.set(`${resolved.in} ${resolved.name}`, resolved);
  }
  return [...byName.values()];
}
