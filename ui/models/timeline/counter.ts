import type { Timeline } from "../../api-types.ts";
import { toMs } from "../format.ts";

/** The counter of failures in a row, from an instant on. */
export interface Step {
  at: number;
  value: number;
}

export interface CounterCurve {
  past: Step[];
  /** If every attempt to come fails. */
  ahead: Step[];
}

/**
 * The counter over time: each failure counts one, a success or an enabling sets it to 0. The beginning of the
 * attempts that are known may lie in the middle of a row, so it is read back from where the counter stands now.
 */
export function counterCurve(timeline: Timeline): CounterCurve {
  const past = pastSteps(timeline);
  const { consecutive_failures: now, counts } = timeline.counter;
  const ahead: Step[] = [];
  let value = now;
  const lastOf = new Map(timeline.forecast.attempts.map((attempt, index) => [attempt.event_id, index]));
  timeline.forecast.attempts.forEach(({ event_id: id, due_at: due }, index) => {
    if (counts === "exhausted" && lastOf.get(id) !== index) return;
    value += 1;
    ahead.push({ at: toMs(due), value });
  });
  return { past, ahead };
}

type Move = { at: number; to: "up" | "zero" };

function pastSteps({ attempts, changes, counter }: Timeline): Step[] {
  const moves: Move[] = [];
  for (const { trigger, status, ended_at: ended, error, next_attempt_at: next } of attempts) {
    if (trigger === "test" || ended === null || status === "pending") continue;
    if (status === "success") moves.push({ at: toMs(ended), to: "zero" });
    else if (counter.counts === "attempts" || (next === null && error !== null && trigger === "automatic"))
      moves.push({ at: toMs(ended), to: "up" });
  }
  for (const { type, at } of changes) if (type === "enabled") moves.push({ at: toMs(at), to: "zero" });
  moves.sort((a, b) => a.at - b.at);

  const steps: Step[] = [];
  let value = 0;
  let reset = false;
  for (const { at, to } of moves) {
    reset ||= to === "zero";
    value = to === "zero" ? 0 : value + 1;
    steps.push({ at, value });
  }
  if (reset || steps.length === 0) return steps;
  const missing = Math.max(0, counter.consecutive_failures - value);
  return steps.map((step) => ({ ...step, value: step.value + missing }));
}
