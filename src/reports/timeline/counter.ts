import type { Timeline } from "./marks.ts";

/** The counter of failures in a row, from an instant on. */
export interface Step {
  at: number;
  value: number;
}

interface Move extends Step {
  deliveryId?: string;
}

/** What raised the counter or set it to 0, in order of time. */
function movesOf({ attempts, changes, counter }: Timeline): Move[] {
  const moves: (Omit<Move, "value"> & { up: boolean })[] = [];
  for (const { delivery_id, trigger, status, ended_at: ended, error, next_attempt_at: next } of attempts) {
    if (trigger === "test" || ended === null || status === "pending") continue;
    const counts =
      counter.counts === "attempts" || (trigger === "automatic" && next === null && error !== null);
    if (status === "success" || counts)
      moves.push({ at: Date.parse(ended), up: status === "failed", deliveryId: delivery_id });
  }
  for (const { type, at } of changes) if (type === "enabled") moves.push({ at: Date.parse(at), up: false });
  moves.sort((a, b) => a.at - b.at);

  const reset = moves.findIndex(({ up }) => !up);
  // The attempts that are known may begin in the middle of a row: it is read back from where the counter stands.
  let value = reset < 0 ? Math.max(0, counter.consecutive_failures - moves.length) : 0;
  return moves.map(({ up, ...move }) => {
    value = up ? value + 1 : 0;
    return { ...move, value };
  });
}

/** The counter after each attempt that moved it, by the id of its delivery. */
export function countersOf(timeline: Timeline): Map<string, number> {
  const known = new Map<string, number>();
  for (const { deliveryId, value } of movesOf(timeline)) if (deliveryId) known.set(deliveryId, value);
  return known;
}

/**
 * The counter from an instant on: what it started with, its steps, and those ahead if every attempt to come fails.
 * @param since virtual milliseconds
 */
export function counterCurve(
  timeline: Timeline,
  since: number,
): { start: number; past: Step[]; ahead: Step[] } {
  const { attempts } = timeline.forecast;
  const lastOf = new Map(attempts.map(({ event_id: id }, index) => [id, index]));
  let value = timeline.counter.consecutive_failures;
  const ahead = attempts
    .filter(({ event_id: id }, index) => timeline.counter.counts === "attempts" || lastOf.get(id) === index)
    .map(({ due_at: due }) => {
      value += 1;
      return { at: Date.parse(due), value };
    });
  const moves = movesOf(timeline);
  const past = moves.filter(({ at }) => at >= since).map(({ at, value }) => ({ at, value }));
  return { start: moves.findLast(({ at }) => at < since)?.value ?? firstLevel(moves, timeline), past, ahead };
}

/** Where the counter stood before all that is known of it. */
function firstLevel([first]: Move[], { counter }: Timeline): number {
  return first ? Math.max(0, first.value - 1) : counter.consecutive_failures;
}
