import type { SendRequest, SendResult } from "../../webhooks/exchange.ts";
import type { Statement } from "../statements/statements.ts";
import type { Json } from "../subject/state.ts";
import type { SentAttempt } from "./attempt.ts";

/**
 * The requests that a subscriber has seen since its last reset, as a tree. Each step is one or several simultaneous
 * requests with their responses. Schedules on the same path look the same to the subscriber, so the second one can reuse
 * responses and states.
 */
export interface WireNode {
  /** The names of all steps up to this one. */
  readonly path: string;
  /** The responses to the step's requests, in the same order. */
  readonly results: readonly SendResult[];
  readonly next: Map<string, WireNode>;
  /** The last lines that a started server printed during this step, if they are useful. */
  printed?: string;
  /** The state after this step, with the calm run's ids, if it was read. */
  state?: Json;
  /** The state once the subscriber has finished the work that follows these responses, if that takes time. */
  settled?: Json;
  /** The step's observed statements and, if its deviation had no effect at its point, the reason. */
  seen?: { statements: readonly Statement[]; missed: SentAttempt["missed"]; hasEnded: boolean };
  /** The final state, if a run ended here. */
  end?: { state: Json; lag: number };
}

/** A request that got a different response than before, after the same requests. */
export interface ChangedAnswer {
  event: string;
  /** The earlier status; null if there was no response. */
  earlier: number | null;
  now: number | null;
}

/** The subscriber's response differs from its earlier one to the same requests. */
export class AnswerChanged extends Error {
  readonly change: ChangedAnswer;
  /** Whether requests were processed simultaneously before. If so, their order may determine the responses. */
  readonly raced: boolean;

  constructor(change: ChangedAnswer, raced: boolean) {
    super(`${change.event} got ${change.now}, but ${change.earlier} earlier.`);
    this.change = change;
    this.raced = raced;
  }
}

export const wireRoot = (): WireNode => ({ path: "", results: [], next: new Map() });

/** The platform's random ids. Two runs may have different ids for the same things. */
export const DRAWN = /\b(?:[a-z]+_[0-9A-Za-z]{16}|0x[0-9a-f]{40,64})\b/g;

/** Numbers request contents, so that step names stay short. Each story has its own numbering. */
export function createContents() {
  const numbers = new Map<string, number>();
  const byBody = new Map<string, number>();
  return (body: string): number => {
    let number = byBody.get(body);
    if (number === undefined) {
      const masked = body.replace(DRAWN, "*");
      number = numbers.get(masked) ?? numbers.size;
      numbers.set(masked, number);
      byBody.set(body, number);
    }
    return number;
  };
}

/**
 * Names a run's requests by what a subscriber can distinguish: the event, the delivery, the body, the time in the
 * header, whether it is a test, and whether it is signed twice. Ids are distinguished only by where they occurred
 * earlier.
 * @param contentOf from `createContents`
 */
export function createNames(contentOf: (body: string) => number) {
  const [events, deliveries] = [new Map<string, number>(), new Map<string, number>()];
  const ordinal = (ids: Map<string, number>, id: string): number => {
    if (!ids.has(id)) ids.set(id, ids.size);
    return ids.get(id)!;
  };
  return ({ event, eventId, id, body, at, trigger, twiceSigned }: SentAttempt, { headers }: SendRequest) => {
    const deliveryId = Object.entries(headers).find(([name]) => name.endsWith("Delivery-Id"))?.[1] ?? id;
    const which = trigger === "test" ? "test" : ordinal(events, eventId);
    return `${event} ${which} ${contentOf(body)} ${ordinal(deliveries, deliveryId)} ${at}${twiceSigned ? " twice signed" : ""}`;
  };
}
