import { roughly } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { isOk, type SentAttempt } from "../schedules/attempt.ts";
import type { Refusal } from "../schedules/delivered.ts";
import type { Evidence } from "../schedules/evidence.ts";
import type { Run } from "../schedules/run.ts";
import { type DeviationKind, HEAD_STARTS } from "../schedules/schedule.ts";
import type { StorySender } from "../stories/stories.ts";
import type { Difference } from "../subject/state.ts";
import { FOR_EVER, ONE_TRANSACTION, observed, oneStepWords, recordWords } from "./observed.ts";
import { createSpeech, type Speech } from "./speech.ts";

type Words = (run: Run, sent: SentAttempt, at: number, speech: Speech) => string;

/** Who sends an event again, after the attempt with a number: the end of a sentence; empty if that does not happen. */
function againWords(
  { attempts }: Run,
  { eventId, second }: SentAttempt,
  at: number,
  { sender }: Speech,
): string {
  const next = attempts.slice(at + 1).find((one) => one.eventId === eventId && one.second === second);
  if (!next) return "";
  return `, so ${next.trigger === "automatic" ? sender : "a person"} sends it again`;
}

const lost: Words = ({ attempts }, sent, at, { nameOf }) => {
  const { eventId, at: sentAt } = sent;
  const event = nameOf(sent);
  const arrival = attempts.findIndex(
    (one, index) => index > at && one.eventId === eventId && one.arrivals > 0,
  );
  if (arrival < 0) return `${event} never arrives.`;
  const before = attempts
    .slice(at + 1, arrival)
    .filter(({ arrivals, eventId: id }) => arrivals > 0 && id !== eventId)
    .map(nameOf);
  const late = roughly(attempts[arrival]!.at - sentAt);
  return before.length > 0
    ? `${event} is lost, and its retry arrives after ${listed([...new Set(before)])}.`
    : `${event} is lost, and its retry arrives ${late} later.`;
};

const overlap: Words = ({ attempts }, sent, _at, { nameOf }) => {
  const { overlaps, deviation } = sent;
  const event = nameOf(sent);
  const headStart = HEAD_STARTS[deviation!];
  const others = overlaps.map((index) => nameOf(attempts[index]!));
  const together = `${listed([event, ...others])} are processed at the same time`;
  return headStart ? `${together}: ${event} arrives ${headStart} ms earlier.` : `${together}.`;
};

/** What a deviation came to in a run, in a sentence. */
const WHAT: Record<DeviationKind, Words> = {
  lost,
  timeout: lost,
  "answer-lost": (run, sent, at, speech) =>
    `${speech.nameOf(sent)} arrives twice: the answer to it is lost${againWords(run, sent, at, speech)}.`,
  slow({ attempts }, sent, _at, { nameOf }) {
    const other = attempts[sent.overlaps[0] ?? -1];
    const next = !other ? "the next request" : other.eventId === sent.eventId ? "its retry" : nameOf(other);
    return `${nameOf(sent)} is still in progress when ${next} arrives, because its answer takes longer than the time-out.`;
  },
  overlap,
  "overlap-5": overlap,
  "overlap-30": overlap,
  "overlap-100": overlap,
  swap: ({ attempts }, sent, at, { nameOf }) =>
    `${nameOf(sent)} and ${nameOf(attempts[at + 1]!)} are sent at one instant, and ${nameOf(sent)} arrives last.`,
  resend: (_run, sent, _at, { sender, nameOf }) =>
    `${nameOf(sent)} arrives twice under one delivery id: ${sender} was restarted before it saw the answer.`,
  restart: (_run, sent, _at, { nameOf }) => `The server is restarted after it answered ${nameOf(sent)}.`,
  crash: (run, sent, at, speech) =>
    `The server is killed while it handles ${speech.nameOf(sent)}${againWords(run, sent, at, speech)}.`,
  "api-429": (_run, { event }) => `The API answers 429 to a call that the handler makes for ${event}.`,
  "api-500": (_run, { event }) => `The API answers 500 to a call that the handler makes for ${event}.`,
  "api-slow": (_run, { event }) =>
    `The API answers a call for ${event} as things are then, but the answer arrives only after the next request.`,
  "manual-retry": (_run, sent, _at, { nameOf }) =>
    `A person retries ${nameOf(sent)} while its planned retry is still due.`,
  "manual-resend": (_run, sent, _at, { nameOf }) =>
    `A person sends ${nameOf(sent)} again, which was delivered.`,
  test: () => "A test delivery with mock data arrives.",
  outage({ attempts, recovery }, { at: from }) {
    const until = attempts[recovery ?? -1]?.at ?? from;
    return `The subscriber is down for ${roughly(until - from)}, and what it missed is retried by hand afterwards.`;
  },
  "secret-rotated": (_run, sent, _at, { nameOf }) =>
    `The secret is being replaced from ${nameOf(sent)} on, so the header has two signatures: first that of the new secret, then that of yours.`,
  "second-endpoint": () =>
    "The URL is registered twice, so each event is sent to it by two endpoints, under another delivery id each.",
};

const ANY_SIGNATURE =
  "Read every signature in the header, and accept the request if one of them is right: until both sides have the new secret, only one is.";

const refusalWords = ({ event, status, isCopy }: Refusal): string =>
  `The handler answers ${status} to ${isCopy ? "a copy of " : ""}${event}${FOR_EVER}.`;

/** What to do where the state shows no more than that it differs. */
const GENERAL =
  "An event can arrive late, twice, out of order, or together with another: the same events must lead to the same state.";

/**
 * What led to a finding, and what a handler needs to get it right, in sentences: what the schedule came to, and what each
 * delivery did to the state.
 * @param by the sender of the story; undefined for the platform
 * @param evidence null where the state after each delivery is not known
 */
export function reasonOf(
  calm: Run,
  run: Run,
  differences: readonly Difference[],
  evidence: Evidence | null,
  by?: StorySender,
): string {
  if (run.schedule.length === 0)
    return "Nothing was lost, repeated or reordered: the invariant does not hold when everything goes well.";
  const speech = createSpeech(run, by);
  const what = run.schedule.map(({ at, kind }) => WHAT[kind](run, run.attempts[at]!, at, speech));
  const sentences = evidence ? observed(evidence, calm, run, differences, speech) : [];
  if (run.attempts.some(({ twiceSigned, status }) => twiceSigned && !isOk(status)))
    return [...what, ANY_SIGNATURE].join(" ");
  if (run.refused.length > 0 && !sentences.some((one) => one.includes(FOR_EVER)))
    return [...what, ...sentences, ...run.refused.map(refusalWords), recordWords(speech)].join(" ");
  const isTogether = run.attempts.some(({ overlaps }) => overlaps.length > 0);
  const isKilled = run.schedule.some(({ kind }) => kind === "crash");
  const advice = isTogether ? oneStepWords(speech) : isKilled ? ONE_TRANSACTION : GENERAL;
  return [...what, ...(sentences.length > 0 ? sentences : [advice])].join(" ");
}
