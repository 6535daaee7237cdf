import type { Effect } from "../outside/services.ts";
import { canLast } from "../statements/lasting.ts";
import { isSamePoint, type StatementPoint } from "../statements/point.ts";
import type { Statement } from "../statements/statements.ts";
import type { SentAttempt } from "./attempt.ts";
import { deviationIn } from "./deviations/index.ts";
import type { Run } from "./run.ts";
import { eventNumbers } from "./translation.ts";

/**
 * What no handler can avoid (docs/outside.md, "What is compared"): a handler that is interrupted between a call and its
 * nearest lasting change makes the call once too often, or never.
 */
export interface Excuse {
  effect: Effect;
  /** Whether the effect may happen one extra time, or not at all. */
  how: "again" | "never";
  /** A description of the cause. */
  by: string;
}

/** Whether a statement leaves something lasting from which the handler can later determine what it has done. */
const isRecord = (one: Statement): boolean => one.of !== "api" && one.result !== null && canLast(one);

export function excusesIn(calm: Run, { attempts }: Pick<Run, "attempts">): Excuse[] {
  const hasRecords = calm.attempts.some(({ statements }) => statements.some(({ of }) => of !== "api"));
  const numbers = [calm.attempts, attempts].map(eventNumbers) as [Map<string, number>, Map<string, number>];
  /** What the handler of the same event did in the calm run. */
  const usualOf = ({ eventId }: SentAttempt): readonly Statement[] =>
    calm.attempts.find((one) => numbers[0].get(one.eventId) === numbers[1].get(eventId))?.statements ?? [];
  return attempts.flatMap((sent) => {
    const { point, statements, status } = sent;
    const deviation = deviationIn(sent);
    if (!deviation) return [];
    const isKilled = deviation.server === "killed";
    const own = statements.filter(({ by }) => by === 1);
    if (!point)
      // The server was killed while it was handling the request, before it could respond.
      return isKilled && status === null && !hasRecords ? around(own, usualOf(sent).slice(own.length)) : [];
    const met = own.findIndex(({ met }) => met !== null);
    if (met < 0) return [];
    const isDone = ["hold-answer", "lose"].includes(own[met]!.met!);
    const before = own.slice(0, isDone ? met + 1 : met);
    // If only a call failed, the handler is still running and can make up for it.
    const isAlive = !isKilled && own[met]!.of === "api";
    const after = isAlive ? [] : followingIn(usualOf(sent), point, isDone);
    const isRecorded = !hasRecords || before.some(isRecord);
    const by = isKilled ? "a crash" : own[met]!.met === "lose" ? "a lost response" : "a failure";
    return around(before, isRecorded ? after : [], by);
  });
}

/** The calls around an interruption, up to the nearest lasting changes. */
function around(before: readonly Statement[], after: readonly Statement[], by = "a crash"): Excuse[] {
  const last = before.findLastIndex(isRecord);
  const next = after.findIndex((one) => one.of !== "api" && canLast(one));
  const effectsOf = (all: readonly Statement[], how: Excuse["how"]): Excuse[] =>
    all.flatMap(({ effects }) => effects.map((effect) => ({ effect, how, by })));
  return [
    ...effectsOf(before.slice(last + 1), "again"),
    ...effectsOf(next < 0 ? after : after.slice(0, next), "never"),
  ];
}

/** A calm run's statements from a point onwards. @param isDone whether the statement at the point was completed */
function followingIn(
  usual: readonly Statement[],
  point: StatementPoint,
  isDone: boolean,
): readonly Statement[] {
  const at = usual.findIndex((one) => isSamePoint(one, point));
  return at < 0 ? [] : usual.slice(isDone ? at + 1 : at);
}
