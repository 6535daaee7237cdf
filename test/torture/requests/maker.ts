import { type Chance, weighted } from "../chance.ts";
import type { Operation } from "./documents.ts";
import { DAMAGES, type Draft, type RawRequest, toBytes } from "./draft.ts";
import type { Harvest } from "./harvest.ts";
import { spoilDraft } from "./spoil.ts";
import type { Values } from "./values.ts";

/**
 * The weights of operations, by id, that take long or reset a world. Low weights make them rare. All others have a
 * weight of 1.
 */
const WEIGHTS: Record<string, number> = {
  reset: 0.02,
  createWorld: 0.02,
  saveSnapshot: 0.03,
  restoreSnapshot: 0.03,
  downloadSnapshot: 0.03,
  exportWorld: 0.03,
  exportCustomers: 0.2,
  exportTransactions: 0.2,
  retryFailedDeliveries: 0.1,
  uploadSnapshot: 0.03,
  runScenario: 0.0005,
  advance: 0.3,
  setClock: 0.05,
  resumeClock: 0.2,
};

const KEYS = ["sk_sandbox_read", "sk_sandbox_other", "sk_sandbox_expired", "sk_sandbox_revoked", "sk_x", ""];

/** The URL prefix and host that a lane's requests use. */
export interface Place {
  /** The prefix `/w/{name}`. */
  prefix: string;
  host: string;
}

/** Creates valid and invalid requests from the operations in the documents. */
export function createMaker(
  operations: readonly Operation[],
  { chance, harvest, values, place }: { chance: Chance; harvest: Harvest; values: Values; place: Place },
): () => RawRequest {
  const pickOperation = weighted(operations, ({ id }) => WEIGHTS[id] ?? 1);

  function draftOf(operation: Operation, spoil: boolean): Draft {
    const { area, method, path: template } = operation;
    const headers: [string, string][] = [["Host", place.host]];
    let path = template;
    const query: string[] = [];
    for (const field of operation.fields) {
      if (field.in !== "path" && !field.required && chance.maybe(0.6)) continue;
      const collection = template.slice(0, template.indexOf(`/{${field.name}}`));
      const value = values.of(field.schema, field.name, spoil, ...(field.in === "path" ? [collection] : []));
      if (field.in === "path") path = path.replace(`{${field.name}}`, encode(value));
      else if (field.in === "query")
        for (const item of [value].flat()) query.push(`${field.name}=${encode(item)}`);
      else headers.push([field.name, printable(value)]);
    }
    if (area === "platform") headers.push(authorization(chance, harvest));
    const body =
      operation.body === undefined ? undefined : JSON.stringify(values.body(operation.body, spoil));
    if (body !== undefined) headers.push(["Content-Type", "application/json"]);
    return {
      operation: operation.id,
      area,
      template,
      method,
      target: place.prefix + path + (query.length > 0 ? `?${query.join("&")}` : ""),
      headers,
      body: body === undefined ? undefined : Buffer.from(body),
      chunked: body !== undefined && chance.maybe(0.05),
    };
  }

  return () => {
    const operation = pickOperation(chance);
    const draft = draftOf(operation, chance.maybe(0.4));
    const spoiled = chance.maybe(0.2) && spoilDraft(draft, chance, values);
    const damage = chance.maybe(0.03)
      ? { kind: chance.pick(DAMAGES), at: chance.next(), byte: chance.below(256) }
      : undefined;
    return {
      operation: operation.id,
      area: operation.area,
      template: operation.path,
      bytes: toBytes(draft, damage),
      bodiless: draft.method === "HEAD",
      broken: damage !== undefined || spoiled === "framing",
      plain: damage === undefined && !spoiled,
    };
  };
}

function authorization(chance: Chance, harvest: Harvest): [string, string] {
  if (chance.maybe(0.9)) return ["Authorization", "Bearer sk_sandbox_write"];
  const key = harvest.pick(chance, "key") ?? "sk_sandbox_write";
  return chance.maybe(0.3) ? ["X-API-Key", key] : ["Authorization", `Bearer ${chance.pick(KEYS)}`];
}

const textOf = (value: unknown): string =>
  typeof value === "object" && value !== null ? JSON.stringify(value) : String(value);

/** Convert it to bytes first, because an unpaired surrogate cannot be encoded. */
const encode = (value: unknown): string => encodeURIComponent(Buffer.from(textOf(value)).toString());

/** Replaces the characters that a header cannot contain. */
const printable = (value: unknown): string => textOf(value).replace(/[^\x20-\x7e]/g, "?");
