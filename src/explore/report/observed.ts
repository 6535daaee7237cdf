import { isDeepStrictEqual } from "node:util";
import { roughly } from "../../timeline/duration.ts";
import { timeText } from "../../timeline/instant.ts";
import { listed } from "../../timeline/text.ts";
import { happenedAt, isOk, type SentAttempt } from "../attempt.ts";
import type { Evidence, Step } from "../evidence.ts";
import type { Run } from "../run.ts";
import type { Difference, Json } from "../state.ts";
import { eventNumbers } from "../translation.ts";
import { pathWords } from "../words.ts";
import { shown } from "./headline.ts";

const ONE_TRANSACTION =
  "Record an event as processed in the transaction of its effect, so that a failure leaves neither.";
const ANY_TIME = "Process an event however late it arrives, and whatever arrived before it.";
export const RECORD =
  "Record each processed event by its id (on the platform, by its type and data.id), together with its effect, and answer 2xx when it comes again.";
export const ONE_STEP =
  "Change an order in one step, such as a transaction or a conditional update, instead of reading it and writing it back.";

export const FOR_EVER = ", and refuses it for ever";

/** One arrival of an attempt, in its step. */
interface Arrival {
  sent: SentAttempt;
  status: number | null;
  step: Step;
}

/** What the sentences are made from. */
interface Case {
  evidence: Evidence;
  run: Run;
  calm: Run;
  differences: readonly Difference[];
  path: string;
  /** The step that led to the wrong value: it changed a right one, or was expected to change a wrong one. */
  step: Step | undefined;
  /** Whether it changed the value; if not, its event should have. */
  moved: boolean;
  /** The numbers of the events to blame, in the order in which they happened. */
  events: number[];
  /** All arrivals of an event in the found run. */
  arrivalsOf: (event: number) => Arrival[];
  /** The step of the calm run in which an event was processed. */
  calmStepOf: (event: number) => Step | undefined;
}

const hasMoved = ({ before, after }: Step): boolean => !isDeepStrictEqual(before, after);
const hasChanged = (step: Step | undefined): boolean => step !== undefined && step.changes.length > 0;
const change = ({ before, after }: Step): string => `from ${shown(before)} to ${shown(after)}`;

/** What the deliveries of a found run did to the state, and what a handler needs to get it right, in sentences. */
export function observed(
  evidence: Evidence,
  calm: Run,
  run: Run,
  differences: readonly Difference[],
): string[] {
  const found = caseOf(evidence, calm, run, differences);
  for (const explain of [byTest, byHeaderTime, byRefusal, byCopy, byOverlap, byOrder, byAge]) {
    const sentences = explain(found);
    if (sentences) return sentences;
  }
  const { step, moved, path } = found;
  return step && moved ? [`${eventsIn(step, run)} changes ${path} ${change(step)}.`] : [];
}

function caseOf(evidence: Evidence, calm: Run, run: Run, differences: readonly Difference[]): Case {
  const { place, calm: calmSteps, found } = evidence;
  const numbers = { found: eventNumbers(run.attempts), calm: eventNumbers(calm.attempts) };
  const numbersIn = (step: Step | undefined, { attempts }: Run, of: Map<string, number>): number[] =>
    (step?.arrivals ?? []).flatMap(({ index }) => of.get(attempts[index]!.eventId) ?? []);
  const inFound = (event: number) =>
    found.filter((step) => numbersIn(step, run, numbers.found).includes(event));
  const writer = found.findLastIndex(hasMoved);
  const setter = calmSteps.findLast(hasMoved);
  // A right value was changed. Otherwise, what sets the right one did not do so.
  const moved =
    writer >= 0 &&
    (setter === undefined ||
      found.slice(0, writer).some(({ after }) => isDeepStrictEqual(after, place.expected)));
  const events = moved ? numbersIn(found[writer], run, numbers.found) : numbersIn(setter, calm, numbers.calm);
  return {
    ...{ evidence, run, calm, differences, moved, events },
    path: pathWords(place.path),
    step: moved ? found[writer] : events.flatMap(inFound).at(-1),
    arrivalsOf: (event) =>
      found.flatMap((step) =>
        step.arrivals.flatMap(({ index, status }) => {
          const sent = run.attempts[index]!;
          return numbers.found.get(sent.eventId) === event ? [{ sent, status, step }] : [];
        }),
      ),
    calmStepOf: (event) => calmSteps.find((step) => numbersIn(step, calm, numbers.calm).includes(event)),
  };
}

const eventsIn = ({ arrivals }: Step, { attempts }: Run): string =>
  listed([...new Set(arrivals.map(({ index }) => attempts[index]!.event))]);

/** A test delivery changed the value. */
function byTest({ step, moved, run, path }: Case): string[] | undefined {
  const sent = step?.arrivals
    .map(({ index }) => run.attempts[index]!)
    .find(({ trigger }) => trigger === "test");
  if (!step || !moved || !sent) return undefined;
  return [
    `It changes ${path} ${change(step)}.`,
    `Test deliveries have the header ${headerOf(sent, "Test")![0]}. Answer 2xx, and change nothing.`,
  ];
}

/** The value is the time at which the attempt was sent, and differs from attempt to attempt. */
function byHeaderTime({ evidence: { place }, run }: Case): string[] | undefined {
  const sentence = headerTimeWords([place], run);
  return sentence === undefined ? undefined : [sentence, "Take the time of an event from its body."];
}

function headerTimeWords(places: readonly Difference[], run: Run): string | undefined {
  for (const { path, actual, expected } of places) {
    const sent = run.attempts.find(
      (one) =>
        one.arrivals > 0 && timeOf(actual) === headerTime(one) && headerTime(one) !== happenedAt(run, one),
    );
    if (sent && !Number.isNaN(timeOf(expected)))
      return `${pathWords(path)} is ${timeText(headerTime(sent))}, the time in the header of attempt ${sent.attempt} of ${sent.event}; the time in its body is ${timeText(happenedAt(run, sent))} in each attempt.`;
  }
  return undefined;
}

const headerOf = ({ headers }: SentAttempt, end: string) =>
  Object.entries(headers).find(([name]) => name.endsWith(end));
const headerTime = (sent: SentAttempt): number => Date.parse(headerOf(sent, "Timestamp")?.[1] ?? "");

/** The virtual milliseconds of a time, in any of the usual forms. */
function timeOf(value: Json): number {
  if (typeof value === "string") return Date.parse(value);
  if (typeof value !== "number") return Number.NaN;
  return value > 1e11 ? value : value * 1_000;
}

/** The handler failed by itself, and its failure or the retry of it made the difference. */
function byRefusal({ events, arrivalsOf, calmStepOf, path, moved, run }: Case): string[] | undefined {
  for (const event of events) {
    const all = arrivalsOf(event);
    const at = all.findIndex(({ status }) => !isOk(status));
    if (at < 0) continue;
    const { sent, status, step } = all[at]!;
    const answer = `The handler ${status === null ? "does not answer" : `answers ${status} to`} ${sent.event}`;
    if (!all.some((one) => isOk(one.status))) {
      const age = sent.at - happenedAt(run, sent);
      const forEver = run.refused.some((one) => one.event === sent.event) ? FOR_EVER : "";
      return [`${answer}${age > 0 ? `, ${roughly(age)} after it happened` : ""}${forEver}.`, ANY_TIME];
    }
    const later = all.slice(at + 1).map((one) => one.step);
    const again = later.find(hasMoved);
    if (step.arrivals.length > 1 || later.length === 0) continue;
    if (moved && hasMoved(step) && again)
      return [
        `${answer}, but has changed ${path} by then, ${change(step)}. The retry of its own failure changes it again, ${change(again)}.`,
        ONE_TRANSACTION,
      ];
    if (later.some(hasChanged) || !hasChanged(calmStepOf(event))) continue;
    return [
      hasChanged(step)
        ? `${answer}, with a part of the work done. It answers 2xx to the retry, and does not do the rest.`
        : `${answer}, and 2xx to the retry of its own failure, without doing the work: it takes the event for one that it has processed.`,
      ONE_TRANSACTION,
    ];
  }
  return undefined;
}

/** The event was processed before, and another copy of it changed the value again. */
function byCopy({ events, arrivalsOf, step, moved, run, path }: Case): string[] | undefined {
  if (!step || !moved) return undefined;
  for (const event of events) {
    const all = arrivalsOf(event);
    const copies = all.filter((one) => one.step === step);
    const { sent } = copies[0]!;
    if (copies.length > 1)
      return [
        `Two copies of ${sent.event} at the same time change ${path} ${change(step)}.`,
        "Let one of two copies win, for example with a unique key, or answer at once and do the work later.",
      ];
    const first = all
      .slice(0, all.indexOf(copies[0]!))
      .find((one) => isOk(one.status) && hasChanged(one.step));
    if (!first) continue;
    const [from, to] = [run.attempts.indexOf(first.sent), run.attempts.indexOf(sent)];
    const later = sent.at > first.sent.at ? `, ${roughly(sent.at - first.sent.at)} later,` : "";
    const others = run.attempts.slice(from, to).filter(({ background }) => background).length;
    const sentence = hasMoved(first.step)
      ? `${sent.event} changes ${path} ${change(first.step)}, and its copy${later} changes it again, ${change(step)}.`
      : `Its copy${later} changes ${path} ${change(step)}.`;
    // A schedule without the deviations that held up the copy was played before, and ended well.
    const doubled = run.schedule.findIndex(({ at }) => at === from);
    const heldUp = run.attempts
      .slice(from + 1, to)
      .some((one) => one.eventId === sent.eventId && one.arrivals === 0);
    if (doubled >= 0 && doubled < run.schedule.length - 1 && heldUp)
      return [
        sentence,
        "A copy that arrives sooner changes nothing: the handler forgets what it has seen.",
        "Remember processed events for as long as their effects: a person can retry one days later.",
      ];
    return others > 0
      ? [
          sentence,
          `In between, ${others} other deliveries arrive. Remember processed events for as long as their effects, however many others follow.`,
        ]
      : [sentence, RECORD];
  }
  return undefined;
}

/** Requests that were processed at the same time lost a change. */
function byOverlap({ step, moved, run, calm, calmStepOf, path }: Case): string[] | undefined {
  const numbers = eventNumbers(run.attempts);
  const together = [
    ...new Set(
      (step?.arrivals ?? []).flatMap(({ index }) => numbers.get(run.attempts[index]!.eventId) ?? []),
    ),
  ];
  if (!step || together.length < 2) return undefined;
  const changing = together.filter((event) => {
    const alone = calmStepOf(event);
    return alone && hasMoved(alone);
  });
  const names = eventsIn(step, run);
  const alone = changing.length === 1 ? calmStepOf(changing[0]!) : undefined;
  return [
    moved
      ? `Together, ${names} change ${path} ${change(step)}.`
      : alone
        ? `Alone, ${eventsIn(alone, calm)} changes ${path} ${change(alone)}. Together with the other, it is answered ${answersIn(step)}, and its change is missing.`
        : `One after the other, each of ${names} changes ${path}. Together, they change it ${change(step)}.`,
    calm.lag > 0
      ? "The work goes on after the answers, so a job may overwrite one that waits. Store each job by itself, and do them one by one."
      : ONE_STEP,
  ];
}

const answersIn = ({ arrivals }: Step): string =>
  listed([...new Set(arrivals.map(({ status }) => String(status ?? "nothing")))]);

/** The event arrived before or after another one than it did in the calm run. */
function byOrder(found: Case): string[] | undefined {
  const { evidence, events, arrivalsOf, calmStepOf, path, moved, step, run, differences } = found;
  const { place, calm: calmSteps, found: steps } = evidence;
  const [event] = events;
  if (event === undefined || !step) return undefined;
  /** The number of the step in which an event was processed: in the calm run, and in the found one. */
  const positions = (one: number): [calm: number, found: number] => {
    const all = arrivalsOf(one);
    const processed = all.find(({ status }) => isOk(status)) ?? all[0];
    return [calmSteps.indexOf(calmStepOf(one)!), processed ? steps.indexOf(processed.step) : -1];
  };
  const [calmAt, foundAt] = positions(event);
  const other = [...new Set(eventNumbers(run.attempts).values())].find((one) => {
    const [otherCalm, otherFound] = positions(one);
    return otherFound >= 0 && foundAt >= 0 && (calmAt - otherCalm) * (foundAt - otherFound) < 0;
  });
  if (other === undefined) return undefined;
  const { sent } = arrivalsOf(event).at(-1)!;
  const { sent: otherSent } = arrivalsOf(other)[0]!;
  const isEarly = foundAt < positions(other)[1];
  const when = `${isEarly ? "Before" : "After"} ${otherSent.event},`;
  const sentence = moved
    ? `${when} ${sent.event} changes ${path} ${change(step)}.`
    : `${when} ${sent.event} does not set ${path} to ${shown(place.expected)}, as it does in order, although it is answered 2xx.`;
  if (!moved && isEarly)
    return [
      sentence,
      "An event can arrive before one that it builds on: store what it says, or answer 503 until the other is there, and the platform sends it again.",
    ];
  const [one, two] = [happenedAt(run, sent), happenedAt(run, otherSent)];
  if (one === two)
    return [
      sentence,
      moved
        ? `Both have the timestamp ${timeText(one)}, which does not say which came first. Let an order move only forward, or read the session again before you change it.`
        : ANY_TIME,
    ];
  const header = headerTimeWords(differences, run);
  return [
    sentence,
    ...(header ? [header] : []),
    `${sent.event} happened at ${timeText(one)}, and ${otherSent.event} at ${timeText(two)}: compare the timestamps in the bodies${header ? "" : ", not those in the headers"}, or read the session again before you change an order.`,
  ];
}

/** The event is accepted late, and does nothing. */
function byAge({ events, arrivalsOf, moved, path, evidence, run }: Case): string[] | undefined {
  const last = moved ? undefined : arrivalsOf(events[0] ?? -1).at(-1);
  if (!last) return undefined;
  const age = last.sent.at - happenedAt(run, last.sent);
  return [
    `${last.sent.event} arrives ${age > 0 ? `${roughly(age)} after it happened` : "as it should"}, is answered ${last.status}, and does not set ${path} to ${shown(evidence.place.expected)}.`,
    ...(age > 0 ? [ANY_TIME] : []),
  ];
}
