import { roughly } from "../../timeline/duration.ts";
import { isOk, type SentAttempt } from "../schedules/attempt.ts";
import { deviationIn } from "../schedules/deviations/index.ts";
import { ONE_TRANSACTION } from "../schedules/deviations/shared.ts";
import { eventNumbers } from "../schedules/translation.ts";
import { pathWords, shown } from "../schedules/words.ts";
import type { Difference, Json } from "../subject/state.ts";
import {
  answersIn,
  type Case,
  caseOf,
  change,
  eventsIn,
  type Facts,
  happenedAt,
  hasChanged,
  hasMoved,
} from "./case.ts";
import type { Speech } from "./speech.ts";

const ANY_TIME = "Process an event no matter how late it arrives or what arrived before it.";
const STORED =
  "Store everything that the handler needs later, such as orders and processed events, before you respond: a deploy can come between any two requests.";
export const recordWords = ({ id }: Speech): string =>
  `Record each processed event by ${id}, together with its effect, and respond with 2xx when it arrives again.`;
export const oneStepWords = ({ thing }: Speech): string =>
  `Change ${thing} in one step, such as a transaction or a conditional update, instead of reading it and writing it back.`;

export const FOR_EVER = ", and refuses it for ever";

/** Describes what a found run's deliveries did to the state, and what a correct handler needs. */
export function observed(facts: Facts): string[] {
  const found = caseOf(facts);
  for (const explain of [byTest, byHeaderTime, byRestart, byRefusal, byCopy, byOverlap, byOrder, byAge]) {
    const sentences = explain(found);
    if (sentences) return sentences;
  }
  const { step, moved, path } = found;
  return step && moved ? [`${eventsIn(step, found)} changes ${path} ${change(step)}.`] : [];
}

/** A test delivery changed the value. */
function byTest({ step, moved, run, path }: Case): string[] | undefined {
  const sent = step?.arrivals
    .map(({ index }) => run.attempts[index]!)
    .find(({ trigger }) => trigger === "test");
  if (!step || !moved || !sent) return undefined;
  return [
    `It changes ${path} ${change(step)}.`,
    `Test deliveries have the header ${headerOf(sent, "Test")![0]}. Respond with 2xx and change nothing.`,
  ];
}

/** The value is the time when the attempt was sent, which differs between attempts. */
function byHeaderTime(found: Case): string[] | undefined {
  const sentence = headerTimeWords([found.evidence.place], found);
  return sentence === undefined ? undefined : [sentence, "Take the time of an event from its body."];
}

function headerTimeWords(places: readonly Difference[], { run, speech }: Case): string | undefined {
  for (const { path, actual, expected } of places) {
    const sent = run.attempts.find(
      (one) =>
        one.arrivals > 0 &&
        instantOf(actual) === headerTime(one) &&
        ![undefined, headerTime(one)].includes(speech.statedTime(one)),
    );
    if (sent && !Number.isNaN(instantOf(expected)))
      return `${pathWords(path)} is ${speech.timeOf(headerTime(sent))}, the time in the header of attempt ${sent.attempt} of ${speech.nameOf(sent)}; the time in its body is ${speech.timeOf(speech.statedTime(sent)!)} in each attempt.`;
  }
  return undefined;
}

const headerOf = ({ headers }: SentAttempt, end: string) =>
  Object.entries(headers).find(([name]) => name.endsWith(end));
const headerTime = (sent: SentAttempt): number => Date.parse(headerOf(sent, "Timestamp")?.[1] ?? "");

/** Parses a time in any of the usual formats, and converts it to virtual milliseconds. */
function instantOf(value: Json): number {
  if (typeof value === "string") return Date.parse(value);
  if (typeof value !== "number") return Number.NaN;
  return value > 1e11 ? value : value * 1_000;
}

/** A restart lost part of the state, or the list of processed events. */
function byRestart(found: Case): string[] | undefined {
  const { evidence, run, events, arrivalsOf, step, moved, path, speech } = found;
  const restarts = run.attempts.flatMap((sent, at) => (deviationIn(sent)?.server === "restarted" ? at : []));
  const parting = evidence.found[evidence.steps.findIndex(({ parts }) => parts)];
  if (parting?.arrivals.some(({ index }) => restarts.includes(index)))
    return [`After the restart, ${path} is ${shown(parting.after)}: it was only in memory.`, STORED];
  for (const event of events) {
    const all = arrivalsOf(event);
    const copy = all.find((one) => one.step === step);
    const first = all.find(({ status }) => isOk(status));
    if (!moved || !step || !copy || !first || first.step === step) continue;
    const [from, to] = [first, copy].map(({ sent }) => run.attempts.indexOf(sent));
    if (restarts.some((at) => at >= from! && at < to!))
      return [
        `After it, the copy of ${speech.nameOf(copy.sent)} changes ${path} ${change(step)}: it was remembered only in memory, and the restart forgot it.`,
        recordWords(speech),
      ];
  }
  return undefined;
}

/** The handler failed or was killed, and the failure or the retry made the difference. */
function byRefusal(found: Case): string[] | undefined {
  const { events, arrivalsOf, calmStepOf, path, moved, run, speech } = found;
  for (const event of events) {
    const all = arrivalsOf(event);
    const at = all.findIndex(({ status }) => !isOk(status));
    if (at < 0) continue;
    const { sent, status, step } = all[at]!;
    const isKilled = deviationIn(sent)?.server === "killed";
    const name = speech.nameOf(sent);
    const answer = `The handler ${status === null ? "does not respond to" : `responds with ${status} to`} ${name}`;
    if (!all.some((one) => isOk(one.status))) {
      if (isKilled) continue;
      const age = sent.at - happenedAt(found, sent);
      const forEver = run.refused.some((one) => one.event === sent.event) ? FOR_EVER : "";
      return [`${answer}${age > 0 ? `, ${roughly(age)} after it happened` : ""}${forEver}.`, ANY_TIME];
    }
    const later = all.slice(at + 1).map((one) => one.step);
    const again = later.find(hasMoved);
    if (step.arrivals.length > 1 || later.length === 0) continue;
    if (moved && hasMoved(step) && again)
      return [
        isKilled
          ? `It has changed ${path} by then, ${change(step)}. Sent again, ${name} changes it again, ${change(again)}.`
          : `${answer}, but has changed ${path} by then, ${change(step)}. The retry after this failure changes it again, ${change(again)}.`,
        ONE_TRANSACTION,
      ];
    if (later.some(hasChanged) || !hasChanged(calmStepOf(event))) continue;
    if (isKilled)
      return [
        hasChanged(step)
          ? `Part of the work is done by then. Sent again, ${name} gets a 2xx, but the rest is not done.`
          : `Sent again, ${name} gets a 2xx, but nothing is done: the handler treats it as already processed.`,
        ONE_TRANSACTION,
      ];
    return [
      hasChanged(step)
        ? `${answer}, with part of the work done. It responds with 2xx to the retry, but does not do the rest.`
        : `${answer}. It responds with 2xx to the retry after this failure without doing the work: it treats the event as already processed.`,
      ONE_TRANSACTION,
    ];
  }
  return undefined;
}

/** The event had already been processed, and another copy changed the value again. */
function byCopy({ events, arrivalsOf, step, moved, run, path, speech }: Case): string[] | undefined {
  if (!step || !moved) return undefined;
  for (const event of events) {
    const all = arrivalsOf(event);
    const copies = all.filter((one) => one.step === step);
    const { sent } = copies[0]!;
    if (copies.length > 1)
      return [
        `Two copies of ${speech.nameOf(sent)} at the same time change ${path} ${change(step)}.`,
        "Let one of two copies win, for example with a unique key, or respond immediately and do the work later.",
      ];
    const first = all
      .slice(0, all.indexOf(copies[0]!))
      .find((one) => isOk(one.status) && hasChanged(one.step));
    if (!first) continue;
    const [from, to] = [run.attempts.indexOf(first.sent), run.attempts.indexOf(sent)];
    const later = sent.at > first.sent.at ? `, ${roughly(sent.at - first.sent.at)} later,` : "";
    const others = run.attempts.slice(from, to).filter(({ background }) => background).length;
    const sentence = hasMoved(first.step)
      ? `${speech.nameOf(sent)} changes ${path} ${change(first.step)}, and its copy${later} changes it again, ${change(step)}.`
      : `Its copy${later} changes ${path} ${change(step)}.`;
    // The schedule without the deviations that delayed the copy was tried before and ended well.
    const doubled = run.schedule.findIndex(({ at }) => at === from);
    const heldUp = run.attempts
      .slice(from + 1, to)
      .some((one) => one.eventId === sent.eventId && one.arrivals === 0);
    if (doubled >= 0 && doubled < run.schedule.length - 1 && heldUp)
      return [
        sentence,
        "A copy that arrives sooner changes nothing: the handler forgets what it has seen.",
        "Remember processed events for as long as their effects: a person can retry an event days later.",
      ];
    return others > 0
      ? [
          sentence,
          `In between, ${others} other deliveries arrive. Remember processed events for as long as their effects, no matter how many others follow.`,
        ]
      : [sentence, recordWords(speech)];
  }
  return undefined;
}

/** Requests that were processed at the same time lost a change. */
function byOverlap(found: Case): string[] | undefined {
  const { step, moved, run, calm, calmStepOf, path, speech } = found;
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
  const names = eventsIn(step, found);
  const alone = changing.length === 1 ? calmStepOf(changing[0]!) : undefined;
  return [
    moved
      ? `Together, ${names} change ${path} ${change(step)}.`
      : alone
        ? `Alone, ${eventsIn(alone, { run: calm, speech })} changes ${path} ${change(alone)}. Together with the other, it gets ${answersIn(step)}, and its change is missing.`
        : `One after the other, each of ${names} changes ${path}. Together, they change it ${change(step)}.`,
    calm.lag > 0
      ? "The work continues after the responses, so a job may overwrite one that is waiting. Store each job separately, and process them one at a time."
      : oneStepWords(speech),
  ];
}

/** The event was processed in a different order relative to another event than in the calm run. */
function byOrder(found: Case): string[] | undefined {
  const { evidence, events, arrivalsOf, calmStepOf, path, moved, step, run, differences, speech } = found;
  const { place, calm: calmSteps, found: steps } = evidence;
  const [event] = events;
  if (event === undefined || !step) return undefined;
  /** The steps in which an event was processed in the calm run and in the found run. */
  const positions = (one: number): [calm: number, found: number] => {
    const all = arrivalsOf(one);
    const processed = all.find(({ status }) => isOk(status)) ?? all[0];
    return [calmSteps.indexOf(calmStepOf(one)!), processed ? steps.indexOf(processed.step) : -1];
  };
  const [calmAt, foundAt] = positions(event);
  // Among the events that swapped with this one, prefer the nearest that touched the value.
  const distance = (one: number): number => {
    const at = positions(one)[1];
    return Math.abs(foundAt - at) + (hasMoved(steps[at]!) ? 0 : steps.length);
  };
  const [other] = [...new Set(eventNumbers(run.attempts).values())]
    .filter((one) => {
      const [otherCalm, otherFound] = positions(one);
      return otherFound >= 0 && foundAt >= 0 && (calmAt - otherCalm) * (foundAt - otherFound) < 0;
    })
    .sort((one, two) => distance(one) - distance(two));
  if (other === undefined) return undefined;
  const { sent } = arrivalsOf(event).at(-1)!;
  const { sent: otherSent } = arrivalsOf(other)[0]!;
  const isEarly = foundAt < positions(other)[1];
  const when = `${isEarly ? "Before" : "After"} ${speech.nameOf(otherSent)},`;
  const sentence = moved
    ? `${when} ${speech.nameOf(sent)} changes ${path} ${change(step)}.`
    : `${when} ${speech.nameOf(sent)} does not set ${path} to ${shown(place.expected)}, as it does in order, although it gets a 2xx.`;
  if (!moved && isEarly)
    return [
      sentence,
      `An event can arrive before one that it builds on: store its data, or respond with 503 until the other event has arrived, and ${speech.retries}.`,
    ];
  const [one, two] = [speech.statedTime(sent), speech.statedTime(otherSent)];
  const forward = `Let ${speech.thing} move only forward, or ${speech.ask} before you change it.`;
  if (one === undefined || two === undefined)
    return [sentence, moved ? `The bodies do not say which happened first. ${forward}` : ANY_TIME];
  if (one === two)
    return [
      sentence,
      moved
        ? `Both have the timestamp ${speech.timeOf(one)}, which does not say which came first. ${forward}`
        : ANY_TIME,
    ];
  const header = headerTimeWords(differences, found);
  return [
    sentence,
    ...(header ? [header] : []),
    `${sent.event} happened at ${speech.timeOf(one)}, and ${otherSent.event} at ${speech.timeOf(two)}: compare the timestamps in the bodies${header ? "" : ", not those in the headers"}, or ${speech.ask} before you change ${speech.thing}.`,
  ];
}

/** The event was accepted late but has no effect. */
function byAge(found: Case): string[] | undefined {
  const { events, arrivalsOf, moved, path, evidence, speech } = found;
  const last = moved ? undefined : arrivalsOf(events[0] ?? -1).at(-1);
  if (!last) return undefined;
  const age = last.sent.at - happenedAt(found, last.sent);
  return [
    `${speech.nameOf(last.sent)} arrives ${age > 0 ? `${roughly(age)} after it happened` : "as it should"}, gets ${last.status}, and does not set ${path} to ${shown(evidence.place.expected)}.`,
    ...(age > 0 ? [ANY_TIME] : []),
  ];
}
