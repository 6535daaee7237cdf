import { shellWord } from "../../runtime/shell.ts";
import { type Endpoint, type MediaType, type ReferenceDocument, resolve, type Schema } from "./document.ts";

/** How deep an example goes; a schema that holds itself ends there. */
const maxDepth = 6;

const formatExamples: Record<string, string> = {
  "date-time": "2026-01-01T00:00:00.000Z",
  date: "2026-01-01",
  email: "ada@example.com",
  uri: "https://example.com/",
  uuid: "00000000-0000-4000-8000-000000000000",
};

/** A value the schema takes: its own example or default first, else one made of its required fields. */
export function exampleOf(document: ReferenceDocument, schema: Schema | undefined, depth = 0): unknown {
  const known = schema && resolve(document, schema);
  if (!known) return "string";
  if (known.example !== undefined) return known.example;
  if (known.examples?.[0] !== undefined) return known.examples[0];
  if (known.default !== undefined) return known.default;
  if (known.const !== undefined) return known.const;
  if (known.enum?.[0] !== undefined) return known.enum[0];
  if (depth >= maxDepth) return null;
  if (known.allOf) return mergedExample(document, known, depth);
  const choice = (known.oneOf ?? known.anyOf)?.find((option) => option.type !== "null");
  if (choice && !known.properties) return exampleOf(document, choice, depth + 1);
  const type = Array.isArray(known.type) ? known.type.find((each) => each !== "null") : known.type;
  if (type === "object" || known.properties) return objectExample(document, known, depth);
  if (type === "array") return known.items ? [exampleOf(document, known.items, depth + 1)] : [];
  if (type === "integer" || type === "number") return known.minimum ?? known.exclusiveMinimum ?? 1;
  if (type === "boolean") return true;
  return type === "null" ? null : textExample(known);
}

function mergedExample(document: ReferenceDocument, schema: Schema, depth: number): unknown {
  const { allOf = [], ...own } = schema;
  const parts = [...allOf, own];
  return Object.assign(
    {},
    ...parts.map((part) => exampleOf(document, { type: "object", ...part }, depth + 1)),
  );
}

function objectExample(document: ReferenceDocument, schema: Schema, depth: number): Record<string, unknown> {
  const required = (schema.required ?? []).flatMap((name) => {
    const property = schema.properties?.[name];
    return property ? [[name, exampleOf(document, property, depth + 1)] as const] : [];
  });
  return Object.fromEntries(required);
}

function textExample({ format, pattern, minLength }: Schema): string {
  const byFormat = format === undefined ? undefined : formatExamples[format];
  if (byFormat !== undefined) return byFormat;
  const hex = pattern && /^\^0x.*\{(\d+)\}/.exec(pattern);
  if (hex) return `0x${"1".repeat(Math.min(Number(hex[1]), 128))}`;
  if (pattern && /^\^(\[0-9\]|\\d)/.test(pattern)) return "1000000";
  return "string".padEnd(Math.min(minLength ?? 0, 64), "-");
}

/** The example a request or response declares for itself, if any. */
export function declaredExample(document: ReferenceDocument, media: MediaType | undefined): unknown {
  if (!media) return undefined;
  if (media.example !== undefined) return media.example;
  const named = Object.values(media.examples ?? {})[0]?.value;
  if (named !== undefined) return named;
  const schema = media.schema && resolve(document, media.schema);
  return schema?.example ?? schema?.examples?.[0];
}

/** The curl command of one operation, ready to paste into a POSIX shell. */
export function curlOf(document: ReferenceDocument, endpoint: Endpoint): string {
  const body = endpoint.operation.requestBody && resolve(document, endpoint.operation.requestBody);
  const [contentType, media] = Object.entries(body?.content ?? {})[0] ?? [];
  const lines = [
    `curl${endpoint.method === "GET" ? "" : ` -X ${endpoint.method}`} ${shellWord(addressOf(document, endpoint))}`,
  ];
  const credential = credentialOf(document, endpoint);
  if (credential) lines.push(`-H ${shellWord(credential)}`);
  for (const parameter of endpoint.parameters) {
    if (parameter.in !== "header" || !parameter.required) continue;
    lines.push(
      `-H ${shellWord(`${parameter.name}: ${textOf(parameter.example ?? exampleOf(document, parameter.schema))}`)}`,
    );
  }
  if (contentType && media) {
    const example = declaredExample(document, media) ?? exampleOf(document, media.schema);
    lines.push(`-H ${shellWord(`Content-Type: ${contentType}`)}`);
    lines.push(`-d ${shellWord(typeof example === "string" ? example : JSON.stringify(example))}`);
  }
  return lines.join(" \\\n  ");
}

function addressOf(document: ReferenceDocument, { server, path, parameters }: Endpoint): string {
  const value = (name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const example = parameter?.example ?? parameter?.schema?.example ?? parameter?.schema?.examples?.[0];
    return example === undefined ? `{${name}}` : encodeURIComponent(textOf(example));
  };
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, example, schema }) => {
      const chosen = example ?? exampleOf(document, schema);
      const first = Array.isArray(chosen) ? chosen[0] : chosen;
      return `${encodeURIComponent(name ?? "")}=${encodeURIComponent(textOf(first))}`;
    });
  const target = path.replace(/\{([^}]+)\}/g, (_, name: string) => value(name));
  return `${server.replace(/\/$/, "")}${target}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function credentialOf(document: ReferenceDocument, { security }: Endpoint): string | undefined {
  const name = security.flatMap((choice) => Object.keys(choice))[0];
  if (name === undefined) return undefined;
  const scheme = document.components?.securitySchemes?.[name];
  const key = document["x-example-key"] ?? "<API_KEY>";
  if (scheme?.type === "apiKey") return scheme.in === "header" ? `${scheme.name ?? name}: ${key}` : undefined;
  return `Authorization: Bearer ${key}`;
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
