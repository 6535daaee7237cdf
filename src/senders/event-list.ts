import { isUtf8 } from "node:buffer";
import { existsSync } from "node:fs";
import { bodyBytes, type CapturedRequest, readCapture } from "../capture/capture-file.ts";
import { misuse, notFound } from "../errors/errors.ts";
import {
  CONTENT_ENCODINGS,
  contentEncoding,
  decodeBody,
  isContentEncoding,
} from "../runtime/content-encoding.ts";
import { readRegularFile } from "../runtime/regular-file.ts";
import { textOf } from "../runtime/text-file.ts";
import { parseFile } from "../schema/parse-file.ts";
import { isObject, mergeOver, readJson } from "../webhooks/body-text.ts";
import { isTyped } from "../webhooks/by-type.ts";
import type { FileSender } from "../webhooks/described.ts";
import { valueAt } from "../webhooks/example.ts";
import { resolveBody } from "../webhooks/known.ts";
import type { Routes, SenderFacts } from "../webhooks/sender-file.ts";
import { checkType } from "../webhooks/senders.ts";
import { parseDuration, SECOND } from "../world/duration.ts";
import { findSender, type OfSubject } from "./files.ts";
import { secondData } from "./second-example.ts";

export interface ListedEvent {
  type: string;
  /** The time in milliseconds after the first event. */
  after: number;
  /** Data that is merged into the example body. */
  data?: object | undefined;
  /** A captured body that replaces the example body byte for byte. */
  body?: string | undefined;
}

/** The user's choice of a sender, and of events or a story from that sender. */
export type SenderChoice = OfSubject & { [Field in "events" | "story"]?: string | undefined };

export interface ChosenSender {
  sender: FileSender;
  types: readonly string[];
  /** The listed events in order; undefined if no events are listed. */
  listed: readonly ListedEvent[] | undefined;
  /** Stories for `explore`: the list, the named story, or all stories in the file. */
  stories: readonly SenderStory[];
}

export interface SenderStory {
  name: string;
  events: readonly ListedEvent[];
  /** Whether the events are listed outside the sender's file. Stories in the file have names. */
  isListed: boolean;
}

/** The default time between two events. */
const GAP = 20 * SECOND;

const FILE = /\.(?:ndjson|jsonl|json|ya?ml)$/i;
const CAPTURE = /\.(?:ndjson|jsonl)$/i;
const MOST_BYTES = 64 * 1024 * 1024;
const KNOWN_EXAMPLE = "For example: --sender stripe with --known customer=cus_123";
const ROUTES_EXAMPLE = "Set subject.sender, for example to shopify.";
const EXAMPLE = "For example: --events order.created,order.paid@20s";

/**
 * Reads the events to send: `order.created,order.paid@20s`, a YAML or JSON file with a list of `{ type, after, data }`,
 * or a capture.
 * @throws SandboxError `bad_request`
 */
async function readEventList(written: string, sender: FileSender): Promise<ListedEvent[]> {
  const events = !FILE.test(written)
    ? written.split(",").flatMap((one) => (one.trim() === "" ? [] : [listed(one.trim())]))
    : await readFile(written, sender);
  if (events.length === 0)
    throw misuse(`${written === "" ? "--events" : written} contains no event.`, EXAMPLE);
  for (const { type, body } of events) if (!body) checkType(type, sender);
  return events.toSorted((one, other) => one.after - other.after);
}

/**
 * The sender that the user specified, with the events to send; undefined for the platform.
 * @param configured names and files from the configuration
 * @throws SandboxError `bad_request`, `not_found`, `invalid_config`
 */
export async function chooseSender(
  { sender: asked, events, story, known, version, routes }: SenderChoice,
  configured: readonly string[],
): Promise<ChosenSender | undefined> {
  if (asked === undefined || asked === "platform") {
    const isKnown = Object.keys(known ?? {}).length > 0;
    if (isKnown) throw misuse("known needs a sender.", KNOWN_EXAMPLE, "known");
    if (routes)
      throw misuse("subject.url with an address per type requires a sender.", ROUTES_EXAMPLE, "url");
    if (events === undefined) return undefined;
    throw misuse("A list of events requires a sender.", "For example: --sender stripe with --events.");
  }
  const found = await findSender(asked, configured, { known, version, routes });
  const stories = storiesOf(found);
  const named = stories.filter(({ name }) => name === story);
  const written = events ?? (named.length > 0 || story === found.name ? undefined : story);
  if (written === undefined) {
    const usual = stories.filter(({ events }) => !events.some((event) => isOnlyAsked(event, found)));
    const types = usualTypes(found);
    const chosen = { sender: found, types, listed: undefined, stories: named.length > 0 ? named : usual };
    return routes ? withRoutes(chosen, routes) : chosen;
  }
  // `--stories` also accepts a list of events, and a type may be a single word.
  const isEvent = (one: string) => !/^[\w-]+$/.test(one) || found.events.includes(one);
  if (events === undefined && !written.split(",").some(isEvent))
    throw notFound(
      `${found.name}'s sender file has no story ${written}.`,
      `Its stories: ${stories.map(({ name }) => name).join(", ")}. Several can be listed in subject.stories of the configuration.`,
    );
  const chosen = withEvents(found, await readEventList(written, found));
  return routes ? withRoutes(chosen, routes) : chosen;
}

/**
 * Leaves out types for which the server has no path. Types that are listed explicitly are rejected instead. @throws
 * SandboxError `bad_request`
 */
function withRoutes(chosen: ChosenSender, routes: Routes): ChosenSender {
  const { sender, types, listed, stories } = chosen;
  for (const name of Object.keys(routes))
    if (!name.endsWith("*") && listed === undefined) checkType(name, sender);
  const isRouted = (type: string): boolean => Object.keys(routes).some((name) => isTyped(name, type));
  const lost = listed?.find(({ type }) => !isRouted(type));
  if (lost)
    throw misuse(
      `subject.url has no address for ${lost.type}.`,
      `subject.url has addresses for ${Object.keys(routes).join(", ")}. Add ${lost.type}, or "*" for all other types.`,
      "events",
    );
  return {
    ...chosen,
    types: types.filter(isRouted),
    stories: stories.flatMap((story) => {
      const events = story.events.filter(({ type }) => isRouted(type));
      return events.length > 0 ? [{ ...story, events }] : [];
    }),
  };
}

/** @throws SandboxError `bad_request` for an event with an unknown `$known.…` */
function withEvents(sender: FileSender, written: readonly ListedEvent[]): ChosenSender {
  const listed = written.map((event) => {
    sender.inBody(event.data ?? {});
    return event.body ? { ...event, body: resolveBody(event.body, sender.facts.known) } : event;
  });
  const types = [...new Set(listed.map(({ type }) => type))];
  return {
    ...{ sender: withBodies(sender, listed), types, listed },
    stories: [{ name: sender.name, events: listed, isListed: true }],
  };
}

/** Finds a sender by name, with the events to send. @throws SandboxError like `chooseSender` */
export async function senderWithEvents(
  name: string,
  configured: readonly string[],
  listed: readonly ListedEvent[],
  subject?: OfSubject,
): Promise<ChosenSender> {
  const sender = await findSender(name, configured, subject);
  for (const { type, body } of listed) if (!body) checkType(type, sender);
  return withEvents(sender, listed);
}

/** The types that an endpoint receives if it does not list any. */
const usualTypes = ({ facts, events }: Pick<FileSender, "facts" | "events">): string[] =>
  events.filter((type) => !facts.onlyListed.some((name) => isTyped(name, type)));

/**
 * Whether most servers never receive an event, because an endpoint must list its type explicitly, or because it belongs
 * to a connected account.
 */
const isOnlyAsked = ({ type, data }: ListedEvent, sender: FileSender): boolean =>
  !usualTypes(sender).includes(type) ||
  (data !== undefined && valueAt(sender.facts.account, {}, JSON.stringify(data)) !== undefined);

/** The stories in a sender's file. A file without stories gets one, with all its types in sequence. */
export function storiesOf(sender: Pick<FileSender, "name" | "facts" | "events" | "example">): SenderStory[] {
  const { name, facts, example } = sender;
  const written: NonNullable<SenderFacts["stories"]> = facts.stories ?? { [name]: usualTypes(sender) };
  return Object.entries(written).map(([name, entries]) => {
    let end = -GAP;
    const events = entries.map((entry): ListedEvent => {
      const { type, after = end + GAP, data, second } = typeof entry === "string" ? { type: entry } : entry;
      // Validation has already converted the time to milliseconds.
      const at = Number(after);
      end = Math.max(end, at);
      return { type, after: at, data: second ? secondData(example(type), facts, second, data) : data };
    });
    return {
      name,
      events: events.toSorted((one, other) => one.after - other.after),
      isListed: !facts.stories,
    };
  });
}

/** The events of a story, grouped by instant. All events of an instant happen before the first of them is delivered. */
export const instantsOf = (events: readonly ListedEvent[]): ListedEvent[][] => [
  ...Map.groupBy(events, ({ after }) => after).values(),
];

/** Replaces a sender's example bodies with bodies from a capture, for each type that the capture contains. */
const withBodies = (sender: FileSender, events: readonly ListedEvent[]): FileSender =>
  sender.with({
    events: {
      ...sender.facts.events,
      ...Object.fromEntries(
        events.flatMap(({ type, body }) => (body ? [[type, body] as const] : [])).reverse(),
      ),
    },
  });

/** Merges the data in an event list into a sender's example bodies, using the first entry for each type. */
export const withData = ({ sender, listed = [] }: ChosenSender): FileSender =>
  withBodies(
    sender,
    listed.map(({ type, after, data, body = sender.example(type) }) => ({
      ...{ type, after },
      body: data ? mergeOver(body, sender.inBody(data)) : body,
    })),
  );

/** Parses an event in the user's list: `order.paid@20s`. @throws SandboxError `invalid_duration` */
export function listed(text: string): ListedEvent {
  const [type, after] = text.split("@") as [string, string?];
  return { type, after: after === undefined ? 0 : parseDuration(after) };
}

async function readFile(file: string, sender: FileSender): Promise<ListedEvent[]> {
  if (!existsSync(file)) throw notEvents(file, "is not there");
  const bytes = readRegularFile(file, file, MOST_BYTES, "bad_request");
  if (CAPTURE.test(file))
    return capturedEvents(textOf(bytes, { name: file, code: "bad_request" }), file, sender);
  const entries = await parseFile({ name: file, bytes }, "bad_request", true);
  if (!Array.isArray(entries)) throw notEvents(file, "must contain a list of events");
  return entries.map((entry: unknown, index): ListedEvent => {
    if (typeof entry === "string") return listed(entry);
    const { type, after = 0, data, ...rest } = Object(entry) as Record<string, unknown>;
    const [unknown] = Object.keys(rest);
    if (typeof type !== "string" || unknown !== undefined || (data !== undefined && !isObject(data)))
      throw notEvents(file, `[${index}] must be a type, or { type, after, data }`);
    return {
      type,
      after: parseDuration(typeof after === "string" ? after : JSON.stringify(after)),
      data: data as object | undefined,
    };
  });
}

/** The events in a capture, without duplicates. Requests without an event type, such as probes, are left out. */
function capturedEvents(text: string, file: string, sender: FileSender): ListedEvent[] {
  const requests = readCapture(text, file);
  const seen = new Set<string>();
  return requests.flatMap((request, index): ListedEvent[] => {
    const { time, headers, line } = request;
    const refuse = (problem: string) =>
      misuse(
        `Line ${line} of ${file} contains a body that cannot be sent again: ${problem}.`,
        `Delete the line from the file, or have its sender send JSON or a form in UTF-8, either plain or compressed with ${CONTENT_ENCODINGS.join(", ")}.`,
      );
    const body = bodyText(request, refuse);
    const type = sender.typeOf({ headers, body });
    if (type !== null && !isJsonOrForm(request, body)) throw refuse("it is neither JSON nor a form");
    if (type === null) return [];
    const id = valueAt(sender.facts.id, headers, body) ?? String(index);
    if (seen.has(id)) return [];
    seen.add(id);
    return [{ type, after: Math.max(0, Date.parse(time) - Date.parse(requests[0]!.time)), body }];
  });
}

const headerOf = ({ headers }: CapturedRequest, name: string): string =>
  Object.entries(headers).find(([header]) => header.toLowerCase() === name)?.[1] ?? "";

/** A body's decompressed text. @throws the error that `refuse` returns */
function bodyText(request: CapturedRequest, refuse: (problem: string) => Error): string {
  const encoding = contentEncoding(request.headers);
  let bytes = bodyBytes(request);
  try {
    if (isContentEncoding(encoding)) bytes = decodeBody(bytes, encoding, MOST_BYTES);
  } catch (error) {
    throw refuse(`it cannot be decompressed (${encoding}: ${(error as Error).message})`);
  }
  if (encoding !== "" && !isContentEncoding(encoding)) throw refuse(`it is compressed (${encoding})`);
  if (!isUtf8(bytes))
    throw refuse(`its bytes are not UTF-8 (${headerOf(request, "content-type") || "no Content-Type"})`);
  return bytes.toString();
}

const isJsonOrForm = (request: CapturedRequest, body: string): boolean =>
  readJson(body) !== undefined ||
  headerOf(request, "content-type").startsWith("application/x-www-form-urlencoded");

const notEvents = (file: string, what: string) => misuse(`${file} ${what}.`, EXAMPLE);
