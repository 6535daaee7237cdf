import type { CourierAttempt } from "../../webhooks/courier.ts";
import type { SentAttempt } from "./attempt.ts";
import type { ScheduledDeviation } from "./schedule.ts";
import type { CourierSubject, Rest } from "./transmitter.ts";
import type { SeenRequest, WireNode } from "./wire.ts";

/** The parts that a courier needs for a run. */
export interface CourierOptions {
  subject: CourierSubject;
  /** Virtual milliseconds. */
  now: () => number;
  /** The deviation of an attempt, by its number. */
  deviationAt: (index: number) => Omit<ScheduledDeviation, "at"> | undefined;
  /** The secret that replaces the endpoint's at an attempt, by its number. */
  newSecretOf: (index: number) => string | undefined;
  nameOf: (request: SeenRequest) => string;
  /** The story's marks of an attempt. */
  marksOf: (attempt: CourierAttempt, body: string) => Pick<SentAttempt, "background" | "second">;
  /** The known answers of the subscriber, to which this run adds its own. */
  root: WireNode;
  /** Resets the subscriber. Called once, before the first request that really goes out. */
  reset: () => Promise<void>;
  rest: Rest | undefined;
  /** Whether the platform's requests have the machine's time in their header when they go out. */
  hasMachineTime: boolean;
  /** Called after each step, with new or with known answers. */
  onStep: ((node: WireNode, live: boolean, attempts: readonly SentAttempt[]) => Promise<void>) | undefined;
}
