import type { Sending } from "../../webhooks/exchange.ts";
import type { SentAttempt } from "./attempt.ts";
import type { Checkpoint } from "./checkpoints.ts";
import type { CourierRun } from "./courier.ts";
import { isSettled } from "./delivered.ts";
import { deviationIn } from "./deviations/index.ts";

/** The part of an attempt's result that affects the platform. */
const outcomeOf = ({ failed, detail }: SentAttempt): "success" | "failure" | "timeout" =>
  failed ? (detail === null ? "timeout" : "failure") : "success";

/**
 * Sends a subscriber the requests up to a checkpoint. The platform must see no difference: it cannot distinguish a lost request
 * from a lost answer, or notice a request that arrives twice.
 * @param setTime gets the virtual milliseconds of each attempt before it begins
 * @returns false if the platform would see something different before the checkpoint
 */
export async function follow(
  run: CourierRun,
  { run: before, attempts: count, pauses, progress: { halts } }: Checkpoint,
  setTime: (at: number) => void,
): Promise<boolean> {
  const earlier = before.attempts.slice(0, count);
  let halt = 0;
  let open: Sending[] = [];
  let seen = 0;
  for (let index = 0; index <= count; index += 1) {
    for (; halts[halt]?.after === index; halt += 1) {
      await run.settle();
      if (isSettled(run.attempts, halts[halt - 1]?.after) !== halts[halt]!.settled) return false;
    }
    const attempt = earlier[index];
    if (!attempt) break;
    setTime(attempt.at);
    run.pauses = attempt.pause;
    open.push(run.take(before.requests[index]!, attempt));
    // The attempt's request arrives together with the next one, or after it.
    if (deviationIn(run.attempts[index]!)?.order && index + 1 < count) continue;
    for (const { result } of open) await result;
    open = [];
    run.check();
    for (; seen <= index; seen += 1)
      if (outcomeOf(run.attempts[seen]!) !== outcomeOf(earlier[seen]!)) return false;
  }
  run.pauses = pauses;
  return true;
}
