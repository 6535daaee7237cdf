import { roughly } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { isOk, type SentAttempt } from "../attempt.ts";
import type { Refusal } from "../delivered.ts";
import type { Evidence } from "../evidence.ts";
import type { Run } from "../run.ts";
import { type DeviationKind, HEAD_STARTS } from "../schedule.ts";
import type { Difference } from "../state.ts";
import { FOR_EVER, ONE_STEP, observed, RECORD } from "./observed.ts";

type Words = (run: Run, sent: SentAttempt, at: number) => string;

const lost: Words = ({ attempts }, { event, eventId, at: sentAt }, at) => {
  const arrival = attempts.findIndex(
    (one, index) => index > at && one.eventId === eventId && one.arrivals > 0,
  );
  if (arrival < 0) return `${event} never arrives.`;
  const before = attempts
    .slice(at + 1, arrival)
    .filter(({ arrivals, eventId: id }) => arrivals > 0 && id !== eventId)
    .map((one) => one.event);
  const late = roughly(attempts[arrival]!.at - sentAt);
  return before.length > 0
    ? `${event} is lost, and its retry arrives after ${listed([...new Set(before)])}.`
    : `${event} is lost, and its retry arrives ${late} later.`;
};

const overlap: Words = ({ attempts }, { event, overlaps, deviation }) => {
  const headStart = HEAD_STARTS[deviation!];
  const others = overlaps.map((index) => attempts[index]!.event);
  const together = `${listed([event, ...others])} are processed at the same time`;
  return headStart ? `${together}: ${event} arrives ${headStart} ms earlier.` : `${together}.`;
};

/** What a deviation came to in a run, in a sentence. */
const WHAT: Record<DeviationKind, Words> = {
  lost,
  timeout: lost,
  "answer-lost": (_run, { event }) =>
    `${event} arrives twice: the answer to it is lost, so the platform sends it again.`,
  slow({ attempts }, { event, eventId, overlaps }) {
    const other = attempts[overlaps[0] ?? -1];
    const next = other?.eventId === eventId ? "its retry" : (other?.event ?? "the next request");
    return `${event} is still in progress when ${next} arrives, because its answer takes longer than the time-out.`;
  },
  overlap,
  "overlap-5": overlap,
  "overlap-30": overlap,
  "overlap-100": overlap,
  swap: ({ attempts }, { event }, at) =>
    `${event} and ${attempts[at + 1]!.event} are sent at one instant, and ${event} arrives last.`,
  resend: (_run, { event }) =>
    `${event} arrives twice under one delivery id: the platform was restarted before it saw the answer.`,
  restart: (_run, { event }) =>
    `The server is restarted after it answered ${event}, and forgets what it had in memory alone.`,
  crash: (_run, { event }) =>
    `The server is killed while it handles ${event}, so the platform sends it again: what was done until then is done twice, or half.`,
  "api-429": (_run, { event }) => `The API answers 429 to a call that the handler makes for ${event}.`,
  "api-500": (_run, { event }) => `The API answers 500 to a call that the handler makes for ${event}.`,
  "api-slow": (_run, { event }) =>
    `The API answers a call for ${event} as things are then, but the answer arrives only after the next request.`,
  "manual-retry": (_run, { event }) => `A person retries ${event} while its planned retry is still due.`,
  "manual-resend": (_run, { event }) => `A person sends ${event} again, which was delivered.`,
  test: () => "A test delivery with mock data arrives.",
  outage({ attempts, recovery }, { at: from }) {
    const until = attempts[recovery ?? -1]?.at ?? from;
    return `The subscriber is down for ${roughly(until - from)}, and what it missed is retried by hand afterwards.`;
  },
  "secret-rotated": (_run, { event }) =>
    `The secret is being replaced from ${event} on, so the header has two signatures: first that of the new secret, then that of yours.`,
  "second-endpoint": () =>
    "The URL is registered twice, so each event is sent to it by two endpoints, under another delivery id each.",
};

const ANY_SIGNATURE =
  "Read every signature in the header, and accept the request if one of them is right: until both sides have the new secret, only one is.";
const STORED =
  "Store what it has to know later, such as orders and processed events, before you answer: a deploy comes between any two requests.";

const refusalWords = ({ event, status, isCopy }: Refusal): string =>
  `The handler answers ${status} to ${isCopy ? "a copy of " : ""}${event}${FOR_EVER}.`;

/** What to do where the state shows no more than that it differs. */
const GENERAL =
  "An event can arrive late, twice, out of order, or together with another: the same events must lead to the same state.";

/**
 * What led to a finding, and what a handler needs to get it right, in sentences: what the schedule came to, and what each
 * delivery did to the state.
 * @param evidence null where the state after each delivery is not known
 */
export function reasonOf(
  calm: Run,
  run: Run,
  differences: readonly Difference[],
  evidence: Evidence | null,
): string {
  if (run.schedule.length === 0)
    return "Nothing was lost, repeated or reordered: the invariant does not hold when everything goes well.";
  const what = run.schedule.map(({ at, kind }) => WHAT[kind](run, run.attempts[at]!, at));
  const sentences = evidence ? observed(evidence, calm, run, differences) : [];
  if (run.schedule.some(({ kind }) => kind === "restart")) return [...what, STORED].join(" ");
  if (run.attempts.some(({ twiceSigned, status }) => twiceSigned && !isOk(status)))
    return [...what, ANY_SIGNATURE].join(" ");
  if (run.refused.length > 0 && !sentences.some((one) => one.includes(FOR_EVER)))
    return [...what, ...sentences, ...run.refused.map(refusalWords), RECORD].join(" ");
  const isTogether = run.attempts.some(({ overlaps }) => overlaps.length > 0);
  return [...what, ...(sentences.length > 0 ? sentences : [isTogether ? ONE_STEP : GENERAL])].join(" ");
}
