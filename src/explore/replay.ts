import type { Sending, SendRequest } from "../payments/webhooks/exchange.ts";
import type { SentAttempt } from "./attempt.ts";
import type { CourierRun } from "./courier.ts";
import { beginRun, type Run, type RunOptions, reached, type Stage } from "./run.ts";
import type { DeviationKind, Schedule } from "./schedule.ts";

/**
 * What the platform did in a run. It does the same again in every run in which it sees the same: a lost request and a lost
 * answer are one to it, and it does not see a request that arrives twice. So most schedules need the subscriber alone.
 */
export interface Trace {
  steps: readonly { attempt: SentAttempt; request: SendRequest; outcome: Outcome }[];
  /** The number of the first attempt after an outage; null in a run without one. */
  recovery: number | null;
  /** How many deliveries the platform skipped. */
  skipped: number;
  halts: readonly Halt[];
  send: (request: SendRequest) => Sending;
}

/** A moment at which nothing more is due. What a person does then depends on what reached the subscriber. */
export interface Halt {
  /** The number of attempts before it. */
  after: number;
  reached: boolean;
}

/** What the platform sees of an attempt, as far as it bears on what it does. */
type Outcome = "success" | "failure" | "timeout";

const outcomeOf = ({ failed, detail }: SentAttempt): Outcome =>
  failed ? (detail === null ? "timeout" : "failure") : "success";

/** What the platform sees of a deviation; null for nothing. Of what a person does, it sees all. */
const SEEN: Record<DeviationKind, string | null> = {
  lost: "failure",
  "answer-lost": "failure",
  resend: null,
  overlap: null,
  slow: "timeout",
  "manual-retry": "manual-retry",
  test: "test",
  outage: "outage",
};

/** Names what the platform sees of a schedule, as long as the subscriber accepts everything. */
export const platformKey = (schedule: Schedule): string =>
  schedule
    .filter(({ kind }) => SEEN[kind] !== null)
    .map(({ at, kind }) => `${SEEN[kind]} ${at}`)
    .join();

export function traceOf(run: CourierRun, rest: Pick<Trace, "recovery" | "skipped" | "halts">): Trace {
  const steps = run.attempts.map((attempt, index) => ({
    attempt,
    request: run.requests[index]!,
    outcome: outcomeOf(attempt),
  }));
  return { steps, send: run.send, ...rest };
}

/**
 * Plays a schedule for an empty subscriber as the platform played one that looks the same to it.
 * @returns undefined if the platform would see something else in it: then it has to play the schedule itself
 */
export async function replay(
  stage: Stage,
  schedule: Schedule,
  trace: Trace,
  options: RunOptions,
): Promise<Run | undefined> {
  let now = 0;
  const { run, end, leave } = beginRun(stage, schedule, options, {
    now: () => now,
    recovery: () => trace.recovery,
  });
  const halts = [...trace.halts];
  try {
    for (let index = 0; index <= trace.steps.length; index += 1) {
      while (halts[0]?.after === index) {
        await run.settle();
        if (reached(run.attempts) !== halts.shift()!.reached) return undefined;
      }
      const step = trace.steps[index];
      if (!step) break;
      now = step.attempt.at;
      while (run.pauses < step.attempt.pause) run.pauseNow();
      await run.take(step.request, step.attempt, trace.send).result;
      run.check();
      if (outcomeOf(run.attempts[index]!) !== step.outcome) return undefined;
    }
    return await end(trace.skipped);
  } finally {
    leave();
  }
}
