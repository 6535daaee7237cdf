import { roughly } from "../../story/duration.ts";
import { listed } from "../../story/text.ts";
import type { SentAttempt } from "../attempt.ts";
import type { DrawnRun } from "../exploration.ts";
import type { Deviation, DeviationKind } from "../schedule.ts";

type Words = (run: DrawnRun, sent: SentAttempt, at: number) => string;

/** What a deviation came to in a run, in a sentence. */
const WHAT: Record<DeviationKind, Words> = {
  lost({ attempts }, { event, eventId, at: sentAt }, at) {
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
  },
  "answer-lost": (_run, { event }) =>
    `${event} arrives twice: the answer to it is lost, so the platform sends it again.`,
  slow({ attempts }, { event, eventId, overlaps }) {
    const other = attempts[overlaps[0] ?? -1];
    const next = other?.eventId === eventId ? "its retry" : (other?.event ?? "the next request");
    return `${event} is still in progress when ${next} arrives, because its answer takes longer than the time-out.`;
  },
  overlap({ attempts }, { event, overlaps }) {
    const others = overlaps.map((index) => attempts[index]!.event);
    return `${listed([event, ...others])} are processed at the same time.`;
  },
  resend: (_run, { event }) =>
    `${event} arrives twice under one delivery id: the platform was restarted before it saw the answer.`,
  "manual-retry": (_run, { event }) => `A person retries ${event} while its planned retry is still due.`,
  test: () => "A test delivery with mock data arrives.",
  outage({ attempts, recovery }, { at: from }) {
    const until = attempts[recovery ?? -1]?.at ?? from;
    return `The subscriber is down for ${roughly(until - from)}, and what it missed is retried by hand afterwards.`;
  },
};

/** What a handler needs for a kind of deviation. */
const ADVICE: Record<DeviationKind, string> = {
  lost: "Events can arrive in any order. Compare their timestamps, or read the session again before you change an order.",
  "answer-lost":
    "Record each processed event by its type and data.id, together with its effect, and answer 2xx when it comes again.",
  slow: "Let one of two copies win, for example with a unique key, or answer at once and do the work later.",
  overlap:
    "Change an order in one step, such as a transaction or a conditional update, instead of reading it and writing it back.",
  resend:
    "Record each processed event by its type and data.id, together with its effect, and answer 2xx when it comes again.",
  "manual-retry":
    "An event can arrive at any time, and any number of times. Processing it again must change nothing.",
  test: "Test deliveries have the header X-Platform-Test. Answer 2xx, and change nothing.",
  outage: "After an outage, events are late and out of order. Accept them whatever their age.",
};

/** What happened in a found run, a sentence for each deviation. */
export function whatHappened(run: DrawnRun): string[] {
  return run.schedule.map(({ at, kind }: Deviation) => WHAT[kind](run, run.attempts[at]!, at));
}

/** What a handler needs to get a found run right: it is the last deviation that made the difference. */
export const advice = ({ schedule }: Pick<DrawnRun, "schedule">): string => ADVICE[schedule.at(-1)!.kind];
