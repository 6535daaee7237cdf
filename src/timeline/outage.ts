import { roughly } from "./duration.ts";
import type { OutageFacts, Timeline } from "./schemas.ts";
import { count } from "./text.ts";

/** Describes an outage, for `explore`, commands and the page. @param length milliseconds */
export const outageSentence = (length: number): string =>
  `The subscriber is down for ${roughly(length)}, and the events that it missed are retried by hand afterwards.`;

/**
 * An outage's consequences for an endpoint.
 * @param timeline the endpoint's timeline, with all attempts since the outage started
 * @param from virtual milliseconds, like `to`, which is when the subscriber recovered
 */
export function outageFacts(timeline: Timeline, from: number, to: number): OutageFacts {
  const isSince = (at: string) => Date.parse(at) >= from;
  const isWithin = (at: string) => isSince(at) && Date.parse(at) <= to;
  const attempts = timeline.attempts.filter(({ started_at: at }) => isSince(at));
  const failed = attempts.filter(({ status, started_at: at }) => status === "failed" && isWithin(at));
  const unsent = timeline.skipped.filter(({ attempt, at }) => attempt === 1 && isSince(at));
  const missing = new Map(attempts.map((attempt) => [attempt.event_id, attempt]));
  const sent = missing.size;
  for (const { event_id: id, status } of attempts) if (status === "success") missing.delete(id);
  // If the endpoint is disabled only at the very end, the retries are the cause, not the outage.
  const disabled = timeline.changes.find(
    ({ type, at }) => type === "disabled" && isSince(at) && Date.parse(at) < to,
  );
  return {
    disabled_at: disabled?.at ?? null,
    failures: Math.max(0, ...failed.map(({ consecutive_failures: failures }) => failures ?? 0)),
    events: sent + unsent.length,
    arrived: sent - missing.size,
    unsent: unsent.length,
    missing: [...missing.values()]
      .filter(({ status }) => status === "failed")
      .map((attempt) => ({
        event: attempt.event,
        delivery_id: attempt.delivery_id,
        response_code: attempt.response_code,
        error: attempt.error,
      })),
  };
}

/** An outage stored in a journal entry. Instants are ISO 8601. */
export type PlayedOutage = OutageFacts & { from: string; to: string };

/** Whether a journal entry's data describe an outage. A foreign snapshot may contain anything. */
export const isOutage = (data: object): data is PlayedOutage =>
  "missing" in data && Array.isArray(data.missing) && "from" in data && typeof data.from === "string";

/** Summarizes an outage in a line: `Down for 3 h: disabled after 61 min at the 10th failure; 4 of 6 events arrived after the fix.` */
export function outageText({ from, to, ...facts }: PlayedOutage): string {
  const { disabled_at: disabled, failures, events, arrived, unsent, missing } = facts;
  const length = Date.parse(to) - Date.parse(from);
  const answers = new Map<string, number>();
  for (const { response_code: code, error } of missing) {
    const answer = code === null ? `did not respond (${error})` : `responded with ${code}`;
    answers.set(answer, (answers.get(answer) ?? 0) + 1);
  }
  const parts = [
    disabled === null
      ? `${count(failures, "failure")} in a row, and not disabled`
      : `disabled after ${roughly(Date.parse(disabled) - Date.parse(from))} at the ${ordinal(failures)} failure`,
    events === 0
      ? "no events happened meanwhile"
      : `${arrived === events ? (["", "the event", "both events"][events] ?? `all ${events} events`) : `${arrived} of ${count(events, "event")}`} arrived after the fix`,
    ...[...answers].map(
      ([answer, times]) => `your handler ${answer} to ${times === 1 ? "one" : `${times} of them`}`,
    ),
    ...(unsent > 0 ? [`${unsent === 1 ? "one was" : `${unsent} were`} never sent`] : []),
  ];
  return `Down for ${roughly(length)}: ${parts.join("; ")}.`;
}

function ordinal(number: number): string {
  const last = number % 100 > 10 && number % 100 < 14 ? 0 : number % 10;
  return `${number}${["th", "st", "nd", "rd"][last] ?? "th"}`;
}
