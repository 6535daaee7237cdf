import { shellWord } from "../../runtime/shell.ts";
import { type Endpoint, type ReferenceDocument, resolve, type Schema } from "./document.ts";

/** The maximum depth of an example. It limits recursive schemas. */
const maxDepth = 6;

/** A value that matches the schema: its example or default, or else a value built from its required fields. */
function exampleOf(document: ReferenceDocument, schema: Schema, depth = 0): unknown {
  const resolved = resolve(document, schema);
  if (resolved.examples?.[0] !== undefined) return resolved.examples[0];
  if (resolved.default !== undefined) return resolved.default;
  if (resolved.const !== undefined) return resolved.const;
  if (resolved.enum?.[0] !== undefined) return resolved.enum[0];
  if (depth >= maxDepth) return null;
  const choice = resolved.anyOf?.find((option) => option.type !== "null");
  if (choice && !resolved.properties) return exampleOf(document, choice, depth + 1);
  const type = Array.isArray(resolved.type) ? resolved.type.find((each) => each !== "null") : resolved.type;
  if (type === "object" || resolved.properties) return objectExample(document, resolved, depth);
  if (type === "array") return resolved.items ? [exampleOf(document, resolved.items, depth + 1)] : [];
  if (type === "integer" || type === "number") return resolved.minimum ?? resolved.exclusiveMinimum ?? 1;
  if (type === "boolean") return true;
  return "string".padEnd(Math.min(resolved.minLength ?? 0, 64), "-");
}

function objectExample(document: ReferenceDocument, schema: Schema, depth: number): Record<string, unknown> {
  const required = (schema.required ?? []).flatMap((name) => {
    const property = schema.properties?.[name];
    return property ? [[name, exampleOf(document, property, depth + 1)] as const] : [];
  });
  return Object.fromEntries(required);
}

/** The curl command for an operation, ready to paste into a POSIX shell. */
export function curlOf(document: ReferenceDocument, endpoint: Endpoint): string {
  const { operation } = endpoint;
  const [contentType, media] = Object.entries(operation.requestBody?.content ?? {})[0] ?? [];
  const lines = [
    `curl${endpoint.method === "GET" ? "" : ` -X ${endpoint.method}`} ${shellWord(addressOf(document, endpoint))}`,
  ];
  if ((operation.security ?? document.security ?? []).some((choice) => Object.keys(choice).length > 0))
    lines.push(`-H ${shellWord(`Authorization: Bearer ${document["x-example-key"]}`)}`);
  for (const { name, in: place, required, schema } of operation.parameters ?? [])
    if (place === "header" && required)
      lines.push(`-H ${shellWord(`${name}: ${textOf(exampleOf(document, schema))}`)}`);
  if (contentType && media) {
    const example = exampleOf(document, media.schema);
    lines.push(`-H ${shellWord(`Content-Type: ${contentType}`)}`);
    lines.push(`-d ${shellWord(typeof example === "string" ? example : JSON.stringify(example))}`);
  }
  return lines.join(" \\\n  ");
}

function addressOf(document: ReferenceDocument, { path, operation: { parameters = [] } }: Endpoint): string {
  const value = (name: string) => {
    const parameter = parameters.find((each) => each.in === "path" && each.name === name);
    const example = parameter?.schema.examples?.[0];
    return example === undefined ? `{${name}}` : encodeURIComponent(textOf(example));
  };
  const query = parameters
    .filter((parameter) => parameter.in === "query" && parameter.required)
    .map(({ name, schema }) => {
      const chosen = exampleOf(document, schema);
      const first = Array.isArray(chosen) ? chosen[0] : chosen;
      return `${encodeURIComponent(name)}=${encodeURIComponent(textOf(first))}`;
    });
  const target = path.replace(/\{([^}]+)\}/g, (_, name: string) => value(name));
  return `${document.servers[0]!.url}${target}${query.length > 0 ? `?${query.join("&")}` : ""}`;
}

function textOf(value: unknown): string {
  return typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);
}
