import { clip } from "../story/text.ts";
import type { SentAttempt } from "./attempt.ts";
import type { DeviationKind } from "./schedule.ts";
import type { Difference, Json } from "./state.ts";

/** What happened to an attempt, as what follows `attempt 2`. */
export function attemptWords({ deviation, status, failed, trigger, arrivals }: SentAttempt): string {
  const answered = status === null ? "no answer" : String(status);
  if (deviation === "lost" || deviation === "outage") return "lost: the request never arrives";
  if (deviation === "answer-lost") return `processed (${answered}), but the answer is lost`;
  if (deviation === "slow") return `processed (${answered}), but the answer comes after the time-out`;
  if (deviation === "resend" && arrivals > 1)
    return `${answered}, and sent again: the platform was restarted meanwhile`;
  if (deviation === "overlap") return `${answered}, while the next event is processed as well`;
  if (trigger === "manual") return `${answered}  (a person retried it by hand)`;
  if (trigger === "test") return `${answered}  (a test delivery with mock data)`;
  return failed && status === null ? "no answer" : answered;
}

/** Why a kind of deviation happens in production, and what a handler needs for it. */
const REASONS: Record<DeviationKind, string> = {
  lost: "Events can arrive in any order, because a lost one is retried later. Compare the times of the events, or read the session again before you change an order.",
  "answer-lost":
    "An event is sent again if its answer is lost. Remember what was processed by the event's data (data.id and the event type), and answer 2xx to a repetition.",
  slow: "An event is sent again if its answer takes longer than 30 s, while the first copy may still be in progress. Answer at once and work later, and let one copy win, for example with a unique key.",
  overlap:
    "Two events can be processed at the same time. Change the order in one atomic step, such as a transaction or a conditional update, and not by reading it, changing it and writing it back.",
  resend:
    "After a restart, the platform sends an unanswered request again with the same delivery id. Remember what was processed, and answer 2xx to a repetition.",
  "manual-retry":
    "A person can retry a delivery by hand while the planned retry is still due, so an event can arrive twice and late.",
  test: "Test deliveries carry mock data and the header X-Platform-Test. Answer them with 2xx, and change nothing.",
  outage:
    "After an outage the endpoint is disabled. Once it is enabled again and the missed events are retried, they arrive late and out of order.",
};

/** Why the found schedule matters: by its last deviation, which made the difference. */
export const reasonFor = (kind: DeviationKind): string => REASONS[kind];

const shown = (value: Json): string => (value === undefined ? "nothing" : clip(JSON.stringify(value), 80));

/** `orders.order-7.status   expected "paid", got "cancelled"`. */
export function differenceWords({ path, expected, actual }: Difference): string {
  return `${path === "" ? "the whole state" : path}   expected ${shown(expected)}, got ${shown(actual)}`;
}

/** What the finding means, in a sentence. */
export function headline([first]: readonly Difference[]): string {
  if (!first) return "The subscriber ends up in another state.";
  const { path, expected, actual } = first;
  const field = path.split(/[.[]/).at(-1)!.replace("]", "");
  if (typeof expected === "number" && typeof actual === "number" && expected !== 0 && actual === 2 * expected)
    return `${field} is counted twice.`;
  if (typeof expected === "string" && typeof actual === "string")
    return `What should be ${expected} ends up ${actual}.`;
  if (actual === undefined) return `${field} is missing in the end.`;
  if (expected === undefined) return `${field} should not be there.`;
  return `${field} ends up as ${shown(actual)} instead of ${shown(expected)}.`;
}
