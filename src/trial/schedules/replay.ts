import type { Sending, SendRequest } from "../../webhooks/exchange.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Halt } from "./checkpoints.ts";
import type { CourierRun } from "./courier.ts";
import { isSettled } from "./delivered.ts";
import { beginRun, type Run, type RunOptions, type Stage } from "./run.ts";
import { HEAD_STARTS, type Schedule } from "./schedule.ts";

/**
 * What the platform did in a run, or in its beginning. It does the same again in every run in which it sees the same: a
 * lost request and a lost answer are one to it, and it does not see a request that arrives twice. So most schedules need
 * the subscriber alone.
 */
export interface PlatformRecord {
  steps: readonly { attempt: SentAttempt; request: SendRequest; outcome: Outcome }[];
  /** How many pauses it had. */
  pauses: number;
  halts: readonly Halt[];
  send: (request: SendRequest) => Sending;
}

/** The record of a whole run. */
export interface Trace extends PlatformRecord {
  /** The number of the first attempt after an outage; null in a run without one. */
  recovery: number | null;
  /** The events that the platform did not try to deliver. */
  skipped: readonly string[];
}

/** What the platform sees of an attempt, as far as it bears on what it does. */
type Outcome = "success" | "failure" | "timeout";

const outcomeOf = ({ failed, detail }: SentAttempt): Outcome =>
  failed ? (detail === null ? "timeout" : "failure") : "success";

/** Records a run, up to now or to an earlier moment. */
export function recordOf(
  run: CourierRun,
  halts: readonly Halt[],
  { attempts, pauses }: { attempts: number; pauses: number } = { ...run, attempts: run.attempts.length },
): PlatformRecord {
  const steps = run.attempts.slice(0, attempts).map((attempt, index) => ({
    attempt,
    request: run.requests[index]!,
    outcome: outcomeOf(attempt),
  }));
  return { steps, pauses, halts, send: run.send };
}

/**
 * Lets a subscriber get what it would get in a run that looks to the platform as the recorded one did.
 * @param tellTime gets the virtual milliseconds of each attempt before it begins
 * @returns false if the platform would see something else
 */
export async function follow(
  run: CourierRun,
  { steps, pauses, halts, send }: PlatformRecord,
  tellTime: (at: number) => void,
): Promise<boolean> {
  let halt = 0;
  let open: Sending[] = [];
  let seen = 0;
  for (let index = 0; index <= steps.length; index += 1) {
    for (; halts[halt]?.after === index; halt += 1) {
      await run.settle();
      if (isSettled(run.attempts, halts[halt - 1]?.after) !== halts[halt]!.settled) return false;
    }
    const step = steps[index];
    if (!step) break;
    tellTime(step.attempt.at);
    while (run.pauses < step.attempt.pause) run.pauseNow();
    open.push(run.take(step.request, step.attempt, send));
    // It arrives together with the next one, or after it.
    const { deviation } = run.attempts[index]!;
    const goesOn = deviation === "swap" || HEAD_STARTS[deviation ?? "lost"] !== undefined;
    if (goesOn && index + 1 < steps.length) continue;
    for (const { result } of open) await result;
    open = [];
    run.check();
    for (; seen <= index; seen += 1)
      if (outcomeOf(run.attempts[seen]!) !== steps[seen]!.outcome) return false;
  }
  while (run.pauses < pauses) run.pauseNow();
  return true;
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
  try {
    const isSame = await follow(run, trace, (at) => {
      now = at;
    });
    return isSame ? await end(trace.skipped) : undefined;
  } finally {
    leave();
  }
}
