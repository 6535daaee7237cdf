import { iso } from "../world/duration.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Json } from "./state.ts";

/** An event as an invariant gets it. */
export interface InvariantEvent {
  id: string;
  /** As in `payment.completed`. */
  type: string;
  /** When it happened, ISO 8601. */
  timestamp: string;
  /** As a subscriber gets it. */
  data: Json;
  /** Whether it is the mock event of a test delivery. */
  test: boolean;
}

/** An attempt as an invariant gets it. */
export interface InvariantDelivery {
  id: string;
  event_id: string;
  event: string;
  attempt: number;
  trigger: "automatic" | "manual" | "test" | "resend";
  /** Virtual time, ISO 8601. */
  started_at: string;
  /** Whether it counts as delivered on the platform. */
  status: "success" | "failed";
  /** What the subscriber answered, even if the answer was lost; null if it answered nothing. */
  response_code: number | null;
  /** How many requests arrived at the subscriber for it. */
  arrivals: number;
}

/** What happened so far, in order. */
export interface InvariantContext {
  events: InvariantEvent[];
  deliveries: InvariantDelivery[];
}

/** What must hold for the state of a subscriber, whatever the schedule: throws where it does not. */
export type InvariantCheck = (state: Json, happened: InvariantContext) => unknown;

export interface Invariant {
  check: InvariantCheck;
  /** Whether it must hold after every delivery, and not only when nothing more is due. */
  always: boolean;
}

/** What an invariant threw. */
export interface BrokenInvariant {
  message: string;
  /** The attempt after which it threw, by its number in the run; null if after the whole run. */
  after: number | null;
}

/**
 * Asks an invariant.
 * @param translate replaces the ids of this run by those in the state
 * @returns what it threw; undefined if it holds
 */
export async function checkInvariant(
  { check }: Invariant,
  state: Json,
  attempts: readonly SentAttempt[],
  translate: (value: Json) => Json,
): Promise<string | undefined> {
  try {
    await check(structuredClone(state), translate(happenedIn(attempts)) as InvariantContext);
    return undefined;
  } catch (error) {
    return error instanceof Error && error.message !== "" ? error.message : String(error);
  }
}

function happenedIn(attempts: readonly SentAttempt[]): InvariantContext {
  const events = new Map<string, InvariantEvent>();
  const deliveries = attempts.map((sent): InvariantDelivery => {
    const { id, eventId, event, attempt, trigger, failed, status, arrivals } = sent;
    const { timestamp, data } = JSON.parse(sent.body);
    if (!events.has(eventId))
      events.set(eventId, { id: eventId, type: event, timestamp, data, test: trigger === "test" });
    return {
      id,
      event_id: eventId,
      event,
      attempt,
      trigger,
      started_at: iso(sent.at),
      status: failed ? "failed" : "success",
      response_code: status,
      arrivals,
    };
  });
  return { events: [...events.values()], deliveries };
}
