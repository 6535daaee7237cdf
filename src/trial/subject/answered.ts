import { clip, listed, plain } from "../../timeline/text.ts";
import { valuesOf } from "../../webhooks/body-text.ts";
import { valueAt } from "../../webhooks/example.ts";
import type { SenderFacts } from "../../webhooks/sender-file.ts";
import { askedBy, type Parameter, soughtIn } from "../statements/parameters.ts";
import type { Statement } from "../statements/statements.ts";
import { printedWords } from "./output.ts";

/** The response to a valid event, and what was observed while the server handled it. */
export interface Answered {
  event: string;
  isAccepted: boolean;
  /** The result, as the end of a sentence: `returned 401`. */
  detail: string;
  body: string;
  /** The event as it was sent. */
  sent: { headers: Readonly<Record<string, string>>; body: string };
  /** What the sender's file says about the event's id and the subjects of the examples. */
  facts: Pick<SenderFacts, "id" | "kinds"> | undefined;
  /** The database statements that the server made; undefined if they cannot be observed. */
  statements: readonly Statement[] | undefined;
  /**
   * The last lines that the server printed in the meantime; empty if there are none, or if the trial did not start the
   * server.
   */
  printed: string;
}

const MOST_SHOWN = 200;
const MOST_EVENTS = 3;
const MOST_STATEMENTS = 3;
const MOST_VALUE = 60;
const LEAST_TELLING = 6;

const once = (texts: readonly string[]): string[] => [...new Set(texts)].filter((text) => text !== "");

/** Lists event types: `a, b, c and 12 more`. */
export const eventNames = (all: readonly string[]): string => {
  const events = once(all);
  const more = events.length - MOST_EVENTS;
  return listed([...events.slice(0, MOST_EVENTS), ...(more > 0 ? [`${more} more`] : [])]);
};

/**
 * How a server responded to valid events, as the end of a sentence: `returned 401 to every valid event: Invalid
 * signature`.
 */
export function answeredWords(all: readonly Answered[]): string {
  const isIdle = ({ isAccepted, statements }: Answered) => isAccepted && statements?.length === 0;
  const groups = [...Map.groupBy(all, (one) => `${one.detail} ${isIdle(one)}`).values()];
  const isAll = groups.length === 1 && once(all.map(({ event }) => event)).length > 1;
  const words = groups.map((group) => {
    const [first] = group as [Answered];
    const events = isAll ? "every valid event" : eventNames(group.map(({ event }) => event));
    const none = isIdle(first) ? " and made no statement" : "";
    const [body = ""] = once(group.map((one) => plain(one.body.trim())));
    const [printed = ""] = once(group.map((one) => one.printed));
    const to = /^returned \d/.test(first.detail) ? "to" : "for";
    return `${first.detail} ${to} ${events}${none}${body === "" ? "" : `: ${clip(body, MOST_SHOWN)}`}${printedWords(printed)}`;
  });
  return words.join("; it ");
}

/** Describes the statements that found no row, and what to do about them; empty if there are none. */
export function unmetWords(all: readonly Answered[]): string {
  const kinds = new Set<string>();
  const unmet = all.flatMap((answered) => {
    const { event, statements = [] } = answered;
    return statements.filter(askedBy).flatMap((statement) => {
      const sought = soughtIn(statement).map((value) => soughtAt(value, answered));
      // A select by the event's own id is how a handler recognizes duplicates.
      const isOwn = sought.length > 0 && sought.every((one) => one?.isOwnId);
      if (isOwn && /^select\b/i.test(statement.text)) return [];
      const words = once(sought.map((one) => one?.words ?? ""));
      for (const one of sought) if (one?.kind) kinds.add(one.kind);
      return `${statement.text} (${[event, ...words].join(", ")})`;
    });
  });
  if (unmet.length === 0) return "";
  const shown = once(unmet).slice(-MOST_STATEMENTS);
  return `${shown.length === 1 ? "This statement" : "These statements"} matched no row: ${shown.join("; ")}. ${wayOut([...kinds])}`;
}

function wayOut(kinds: readonly string[]): string {
  if (kinds.length === 0)
    return "Add the row, or send the values of one of your rows: --events with a file of { type, data }.";
  const flags = kinds.map((kind) => `--known ${kind}=…`);
  return `Use a value from one of your rows: ${listed(flags)}. Or add the row: subject.seed fills a copy of your database.`;
}

/** Where an event contains a value that a statement looked for; undefined if that is unclear. */
function soughtAt(
  value: Parameter,
  { sent: { headers, body }, facts }: Answered,
): { isOwnId: boolean; kind?: string | undefined; words: string } | undefined {
  if (value === null)
    return { isOwnId: false, words: "with null, so the event lacks a field that your handler reads" };
  const own = [valueAt(facts?.id, headers, body), ...Object.values(headers)];
  if (value.some((text) => own.includes(text))) return { isOwnId: true, words: "" };
  const places = valuesOf(body).filter(({ text }) => value.includes(text));
  const [first] = places;
  // A short string may occur in several places by chance.
  if (!first || (places.length > 1 && first.text.length < LEAST_TELLING)) return undefined;
  const { kinds = {} } = facts ?? {};
  const [kind] = Object.entries(kinds).find(([, examples]) => [examples].flat().includes(first.text)) ?? [];
  return {
    ...{ isOwnId: false, kind },
    words: `with the event's ${first.path.join(".")}, ${clip(JSON.stringify(plain(first.text)), MOST_VALUE)}`,
  };
}
