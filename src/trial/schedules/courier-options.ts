import type { CourierAttempt } from "../../webhooks/courier.ts";
import type { SentAttempt } from "./attempt.ts";
import type { ScheduledDeviation } from "./schedule.ts";
import type { CourierSubject, Rest } from "./transmitter.ts";
import type { SeenRequest, WireNode } from "./wire.ts";

/** What a courier needs for a run. */
export interface CourierOptions {
  subject: CourierSubject;
  /** Virtual milliseconds. */
  now: () => number;
  /** What is to happen to an attempt, by its number. */
  deviationAt: (index: number) => Omit<ScheduledDeviation, "at"> | undefined;
  /** What is replacing the endpoint's secret when an attempt is made, by its number. */
  newSecretOf: (index: number) => string | undefined;
  nameOf: (request: SeenRequest) => string;
  /** What the story says of an attempt. */
  marksOf: (attempt: CourierAttempt, body: string) => Pick<SentAttempt, "background" | "second">;
  /** What is known of the subscriber's answers; it grows by those of this run. */
  root: WireNode;
  /** Takes the subscriber back to empty. Called once, before the first request that really goes out. */
  reset: () => Promise<void>;
  rest: Rest | undefined;
  /** Whether the platform's requests say the machine's time in their header when they go out. */
  hasMachineTime: boolean;
  /** Called after each step whose answers are new, and after each known one. */
  onStep: ((node: WireNode, live: boolean, attempts: readonly SentAttempt[]) => Promise<void>) | undefined;
}
