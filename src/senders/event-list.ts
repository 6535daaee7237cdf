import { existsSync } from "node:fs";
import { bodyBytes, readCapture } from "../capture/capture-file.ts";
import { misuse } from "../errors/errors.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { textOf } from "../runtime/text-file.ts";
import { parseFile } from "../schema/parse-file.ts";
import type { FileSender } from "../webhooks/described.ts";
import { merge, valueAt } from "../webhooks/example.ts";
import { checkType } from "../webhooks/senders.ts";
import { parseDuration } from "../world/duration.ts";
import { findSender } from "./files.ts";

/** An event of a sender that is to be sent. */
export interface ListedEvent {
  type: string;
  /** Milliseconds after the first one. */
  after: number;
  /** Merged over the example body. */
  data?: object | undefined;
  /** In place of the example body, as a capture has it. */
  body?: Record<string, unknown> | undefined;
}

/** What a person says of a sender. A story is its events, or its own name for all of them. */
export type SenderChoice = { [Field in "sender" | "events" | "story"]?: string | undefined };

/** A sender, and what it is to send. */
export interface ChosenSender {
  sender: FileSender;
  types: readonly string[];
  /** In their order; undefined where none are named. */
  listed: readonly ListedEvent[] | undefined;
}

const FILE = /\.(?:ndjson|jsonl|json|ya?ml)$/i;
const CAPTURE = /\.(?:ndjson|jsonl)$/i;
const MOST_BYTES = 64 * 1024 * 1024;
const EXAMPLE = "For example --events order.created,order.paid@20s";

/**
 * Reads which events of a sender are to be sent: `order.created,order.paid@20s`, a YAML or JSON file with a list of
 * `{ type, after, data }`, or a capture.
 * @throws SandboxError `bad_request`
 */
async function readEventList(written: string, sender: FileSender): Promise<ListedEvent[]> {
  const events = !FILE.test(written)
    ? written.split(",").flatMap((one) => (one.trim() === "" ? [] : [listed(one.trim())]))
    : await readFile(written, sender);
  if (events.length === 0) throw misuse(`${written === "" ? "--events" : written} names no event.`, EXAMPLE);
  for (const { type, body } of events) if (!body) checkType(type, sender);
  return events.toSorted((one, other) => one.after - other.after);
}

/**
 * The sender that a person names, with what it is to send; undefined for the platform.
 * @param configured names and files of the configuration
 * @throws SandboxError `bad_request`, `not_found`, `invalid_config`
 */
export async function chooseSender(
  { sender: named, events, story }: SenderChoice,
  configured: readonly string[],
): Promise<ChosenSender | undefined> {
  if (named === undefined || named === "platform") {
    if (events === undefined) return undefined;
    throw misuse(
      "Events are listed for a sender of a file, and none is named.",
      "For example --sender stripe beside --events.",
    );
  }
  const found = await findSender(named, configured);
  const written = events ?? (story === found.name ? undefined : story);
  if (written === undefined) return { sender: found, types: found.events, listed: undefined };
  return withEvents(found, await readEventList(written, found));
}

/** A sender with a list of what it is to send. */
function withEvents(sender: FileSender, listed: readonly ListedEvent[]): ChosenSender {
  const types = [...new Set(listed.map(({ type }) => type))];
  return { sender: withBodies(sender, listed), types, listed };
}

/** A sender by its name, with what it is to send. @throws SandboxError as `chooseSender` */
export async function senderWithEvents(
  name: string,
  configured: readonly string[],
  listed: readonly ListedEvent[],
): Promise<ChosenSender> {
  const sender = await findSender(name, configured);
  for (const { type, body } of listed) if (!body) checkType(type, sender);
  return withEvents(sender, listed);
}

/** A sender whose example bodies are those of a capture, where it has some. */
const withBodies = (sender: FileSender, events: readonly ListedEvent[]): FileSender =>
  sender.withExamples(
    Object.fromEntries(events.flatMap(({ type, body }) => (body ? [[type, body] as const] : [])).reverse()),
  );

/** The sender with bodies that have the data of a list: those of the first entry of each type. */
export const withData = ({ sender, listed = [] }: ChosenSender): FileSender =>
  withBodies(
    sender,
    listed.map(({ type, after, data, body }) => ({
      ...{ type, after },
      body: body ?? (merge(sender.facts.events[type], data) as ListedEvent["body"]),
    })),
  );

/** An event as a person lists it: `order.paid@20s`. @throws SandboxError `invalid_duration` */
export function listed(text: string): ListedEvent {
  const [type, after] = text.split("@") as [string, string?];
  return { type, after: after === undefined ? 0 : parseDuration(after) };
}

async function readFile(file: string, sender: FileSender): Promise<ListedEvent[]> {
  if (!existsSync(file)) throw notEvents(file, "is not there");
  const bytes = readRegularFile(file, file, MOST_BYTES, "bad_request");
  if (CAPTURE.test(file))
    return capturedEvents(textOf(bytes, { name: file, code: "bad_request" }), file, sender);
  const entries = await parseFile({ name: file, bytes }, "bad_request");
  if (!Array.isArray(entries)) throw notEvents(file, "must hold a list of events");
  return entries.map((entry: unknown, index): ListedEvent => {
    if (typeof entry === "string") return listed(entry);
    const { type, after = 0, data, ...rest } = Object(entry) as Record<string, unknown>;
    const [unknown] = Object.keys(rest);
    if (typeof type !== "string" || unknown !== undefined || (data !== undefined && !isObject(data)))
      throw notEvents(file, `[${index}] must be a type, or { type, after, data }`);
    return { type, after: parseDuration(String(after)), data: data as object | undefined };
  });
}

/** The events of a capture, each once, however often it was sent. */
function capturedEvents(text: string, file: string, sender: FileSender): ListedEvent[] {
  const requests = readCapture(text, file);
  const seen = new Set<string>();
  return requests.flatMap((request, index): ListedEvent[] => {
    const { time, headers } = request;
    const text = bodyBytes(request).toString();
    const type = sender.typeOf({ headers, body: text });
    const body = parsedBody(text);
    const id = valueAt(sender.facts.id, headers, text) ?? String(index);
    if (type === null || body === undefined || seen.has(id)) return [];
    seen.add(id);
    return [{ type, after: Math.max(0, Date.parse(time) - Date.parse(requests[0]!.time)), body }];
  });
}

function parsedBody(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const notEvents = (file: string, what: string) => misuse(`${file} ${what}.`, EXAMPLE);
