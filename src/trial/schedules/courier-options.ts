import type { CourierAttempt } from "../../webhooks/courier.ts";
import type { SendRequest } from "../../webhooks/exchange.ts";
import type { SentAttempt } from "./attempt.ts";
import type { ScheduledDeviation } from "./schedule.ts";
import type { CourierSubject, Rest } from "./transmitter.ts";
import type { WireNode } from "./wire.ts";

export interface CourierOptions {
  subject: CourierSubject;
  /** Virtual milliseconds. */
  now: () => number;
  deviationAt: (index: number, attempt: CourierAttempt) => Omit<ScheduledDeviation, "at"> | undefined;
  /** Returns the new secret that also signs the attempt with the given number, if there is one. */
  newSecretOf: (index: number) => string | undefined;
  nameOf: (sent: SentAttempt, request: SendRequest) => string;
  /** Whether an attempt is background traffic of the story, and whether it belongs to the second endpoint. */
  marksOf: (attempt: CourierAttempt, body: string) => Pick<SentAttempt, "background" | "second">;
  /** The subscriber's known responses. The run adds new ones. */
  root: WireNode;
  /** Resets the subscriber. Called once, before the first request that is really sent. */
  reset: () => Promise<void>;
  rest: Rest | undefined;
  /** Whether the run ends with `Stuck` when a request without a deviation gets no response. */
  endsWhenStuck: boolean;
  /** Called after each step, with new or known responses. */
  onStep: ((node: WireNode, live: boolean, attempts: readonly SentAttempt[]) => Promise<void>) | undefined;
}
