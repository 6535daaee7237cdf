import { existsSync } from "node:fs";
import { extname } from "node:path";
import { invalidConfig, notFound } from "../errors/errors.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { parseFile } from "../schema/parse-file.ts";
import { isObject } from "../webhooks/body-text.ts";

type Node = Record<string, unknown>;

/** A webhook in the document: an example body, and headers with example values. */
interface Webhook {
  name: string;
  body: Node;
  headers: Record<string, string>;
}

const MOST_BYTES = 64 * 1024 * 1024;
/** The maximum depth of examples generated from a schema. Below this depth, optional fields are omitted. */
const MOST_LEVELS = 8;
const BY_FORMAT: Record<string, string> = {
  "date-time": "2026-01-15T09:00:00Z",
  date: "2026-01-15",
  email: "ada@example.com",
  uuid: "3f0c5f5e-8f0a-4c1e-9d53-0e8a4c1e9d53",
  uri: "https://example.com",
  url: "https://example.com",
};
const TYPE = /^(?:type|event|topic|event_?(?:type|name))$/i;
const TIME = /^(?:created|timestamp|time|occurred|sent)(?:_?(?:at|date|time))?$|^creationDate$/i;

/**
 * Describes a sender from the `webhooks` of an OpenAPI 3.1 document.
 * @returns the sender's file and its bodies, by path relative to its folder
 * @throws SandboxError `not_found`; `invalid_config` for a document without webhooks
 */
export async function senderFromOpenApi(
  name: string,
  file: string,
): Promise<{ path: string; text: string }[]> {
  if (!existsSync(file)) throw notFound(`There is no file ${file}.`, "Pass an OpenAPI document with --from.");
  const bytes = readRegularFile(file, file, MOST_BYTES, "invalid_config");
  const named = extname(file) === ".json" ? "document.json" : file;
  const document = (await parseFile({ name: named, bytes }, "invalid_config")) as Node;
  const webhooks = webhooksOf(document);
  if (webhooks.length === 0)
    throw invalidConfig(
      `${file} does not describe a webhook with a JSON body.`,
      "OpenAPI 3.1 documents describe them under webhooks. If there is no such document, start with: npx sandglass init --sender acme",
    );
  const { place, types, isAssumed } = typesOf(webhooks);
  const slugs = types.map((type) =>
    type
      .toLowerCase()
      .replaceAll(/[^a-z0-9._-]+/g, "-")
      .slice(0, 100),
  );
  const { info, externalDocs } = document as Record<string, Node | undefined>;
  const bodies = webhooks.map(({ body }, index) => ({
    event: types[index]!,
    // Two types may differ only in characters that file names cannot contain.
    path: `${name}/${slugs.indexOf(slugs[index]!) === index ? slugs[index] : `${slugs[index]}-${index}`}.json`,
    text: `${JSON.stringify(body, null, 2)}\n`,
  }));
  const { assumed, ...facts } = factsOf(name, webhooks[0]!, place);
  const sender = {
    ...{ name, documentation: externalDocs?.url, version: info?.version && String(info.version) },
    assumed: [...(isAssumed ? ["type"] : []), ...assumed, "retries.delays", "timeout", "disable"],
    events: Object.fromEntries(bodies.map(({ event, path }) => [event, path])),
    ...{ ...facts, retries: { delays: ["1m", "10m", "1h"] }, timeout: "30s", disable: "never" },
  };
  const { stringify } = await import("yaml");
  const head = `# Generated from ${file}. Facts that it does not state are listed under assumed: look them up, correct them here, and remove them from that list.\n`;
  const text = head + stringify(sender, { lineWidth: 0 });
  return [{ path: `${name}.yaml`, text }, ...bodies.map((one) => ({ path: one.path, text: one.text }))];
}

function webhooksOf(document: Node): Webhook[] {
  /** Resolves a part of the document. References to other documents are not followed. */
  const at = (node: unknown, links = 0): Node => {
    const { $ref, ...beside } = Object(node) as Node;
    if (typeof $ref !== "string" || !$ref.startsWith("#/") || links > MOST_LEVELS) return beside;
    const names = $ref.slice(2).split("/");
    const unescaped = names.map((one) => decodeURIComponent(one).replaceAll("~1", "/").replaceAll("~0", "~"));
    const found = unescaped.reduce<unknown>((inside, one) => Object(inside)[one], document);
    return { ...at(found, links + 1), ...beside };
  };
  const headerOf = (header: Node): [string, string][] => {
    const sample = header.example ?? sampleOf(header.schema, at, String(header.name));
    return header.in === "header" ? [[String(header.name), String(sample)]] : [];
  };
  return Object.entries(Object(document.webhooks ?? document["x-webhooks"])).flatMap(([name, item]) => {
    const methods = at(item);
    const { parameters = [], requestBody } = at(methods.post ?? methods.put ?? methods.get);
    const content = Object.entries(Object(at(requestBody).content)).find(([type]) => type.includes("json"));
    const { schema, example, examples } = at(content?.[1]);
    const [first] = Object.values(Object(examples));
    const body = example ?? at(first).value ?? (schema && sampleOf(schema, at));
    const headers = [methods.parameters ?? [], parameters].flat().map((one) => headerOf(at(one)));
    return isObject(body) ? [{ name, body, headers: Object.fromEntries(headers.flat()) }] : [];
  });
}

/** A sample value for a schema: its example, its default, or a generated value. */
function sampleOf(written: unknown, at: (node: unknown) => Node, name = "", level = 0): unknown {
  // Stop at schemas that contain themselves.
  if (level > 2 * MOST_LEVELS) return undefined;
  const schema = at(written);
  const { example, examples, enum: values, allOf, oneOf, anyOf, properties, items, required } = schema;
  const known = [example, ...[examples ?? []].flat(), schema.default, schema.const, ...[values ?? []].flat()];
  const value = known.find((one) => one !== undefined && one !== null);
  if (value !== undefined) return value;
  const choice = [oneOf ?? anyOf ?? []].flat().find((one) => at(one).type !== "null");
  const parts = [...[allOf ?? []].flat(), ...(choice ? [choice] : [])].map((one) =>
    sampleOf(one, at, name, level + 1),
  );
  const type = [schema.type].flat().find((one) => one !== "null");
  if (properties || type === "object" || parts.some(isObject)) {
    const own = Object.entries(Object(properties)).filter(
      ([field]) => level < MOST_LEVELS || [required].flat().includes(field),
    );
    const fields = own.map(([field, one]) => [field, sampleOf(one, at, field, level + 1)]);
    return Object.assign({}, ...parts.filter(isObject), Object.fromEntries(fields));
  }
  if (parts.length > 0) return parts[0];
  if (type === "array") return level < MOST_LEVELS ? [sampleOf(items, at, name, level + 1)] : [];
  if (type === "boolean") return true;
  if (type === "integer" || type === "number") return TIME.test(name) ? 1_768_467_600 : (schema.minimum ?? 1);
  if (type === "null") return null;
  return BY_FORMAT[String(schema.format)] ?? (/id$/i.test(name) ? `${name}_1` : name || "text");
}

/**
 * Each event's type, and where requests contain it: in the body or in a header, provided that it differs between the
 * events.
 */
function typesOf(webhooks: Webhook[]): { place: string | undefined; types: string[]; isAssumed: boolean } {
  const names = webhooks.map(({ name }) => name);
  const fields = webhooks.flatMap(({ body }) => Object.keys(body).filter((one) => TYPE.test(one)));
  const isCommon = (one: string) => fields.filter((other) => other === one).length * 2 > webhooks.length;
  const field = fields.find(isCommon) ?? "";
  const header =
    Object.keys(webhooks[0]!.headers).find((one) => /^x-.*(?:event|topic|type)$/i.test(one)) ?? "";
  const inBodies = webhooks.map(({ body }) => body[field]);
  // A generated string for a field is the field's own name.
  if (field && inBodies.every((one) => one === field || one === undefined)) {
    for (const { name, body } of webhooks) if (field in body) body[field] = name;
    return { place: `body.${field}`, types: names, isAssumed: true };
  }
  const inHeaders = webhooks.map(({ headers }) => headers[header]);
  for (const [place, values] of [
    [`body.${field}`, inBodies],
    [`header.${header}`, inHeaders],
  ] as const) {
    // In some requests, the type may be missing.
    const types = values.map((value, index) => (typeof value === "string" ? value : names[index]!));
    const isNamed =
      values.some(Boolean) && values.every((one) => one === undefined || typeof one === "string");
    if (isNamed && new Set(types).size === types.length) return { place, types, isAssumed: false };
  }
  return { place: header ? `header.${header}` : undefined, types: names, isAssumed: header !== "" };
}

/**
 * Finds out where a request contains its facts and its signature, and which of these the document does not describe.
 */
function factsOf(name: string, { body, headers }: Webhook, type: string | undefined) {
  const find = (pattern: RegExp) => Object.keys(headers).filter((one) => pattern.test(one));
  const [idHeader] = find(/delivery|(?:event|message|webhook)-?id$/i);
  const idField = ["id", "event_id", "eventId"].find((one) => /^(?:string|number)$/.test(typeof body[one]));
  const timeField = Object.keys(body).find((one) => TIME.test(one) && body[one] !== null);
  const isIso = typeof body[timeField ?? ""] === "string";
  const [timeHeader] = find(/timestamp$/i);
  const signed = find(/signature|hmac/i).sort((a, b) => Number(/256/.test(b)) - Number(/256/.test(a)))[0];
  const isStandard = /^(?:webhook|svix)-signature$/i.test(signed ?? "");
  const given = signed === undefined ? "sha256=" : headers[signed]!;
  const shape = isStandard
    ? "v1,{signature}"
    : given
        .replace(/\bt(s?)=\d+/, "t$1={time}")
        .replace(/((?:^|[,;])(?:sha\d+|v\d|h\d|s)=|^)[^,;=]*=*$/, "$1{signature}");
  const usesTime = timeHeader !== undefined || shape.includes("{time}");
  const ids = idHeader ? `header.${idHeader}` : idField && `body.${idField}`;
  const places: Record<string, string> = {
    ...(type?.startsWith("header.") && { [type.slice("header.".length)]: "{type}" }),
    ...(idHeader && { [idHeader]: "{id}" }),
    ...(timeHeader && { [timeHeader]: "{time}" }),
  };
  const fixed = Object.entries(headers).filter(
    ([one]) => one !== signed && !/^(?:user-agent|content-)/i.test(one),
  );
  return {
    assumed: [
      ...(signed === undefined ? ["signature.header"] : []),
      ...(isStandard ? [] : ["algorithm", "encoding", "over", "secret"].map((one) => `signature.${one}`)),
      ...(ids && !isStandard ? ["id"] : []),
      ...(timeField ? ["time"] : []),
    ],
    ...{ type, id: ids, time: timeField && `body.${timeField}`, unit: isIso ? "iso" : "seconds" },
    headers: Object.fromEntries(fixed.map(([one, value]) => [one, places[one] ?? value])),
    signature: {
      header: `${signed ?? `X-${name}-Signature`}: ${shape.includes("{signature}") ? shape : "{signature}"}`,
      encoding: isStandard || (/[+/]|=$/.test(given) && signed) ? "base64" : "hex",
      over: isStandard ? "{id}.{time}.{body}" : usesTime ? "{time}.{body}" : "{body}",
      ...(isStandard && { secret: "base64", prefix: "whsec_" }),
    },
  };
}
