import { wallNow } from "../../world/clock.ts";
import type { Passage, Unit } from "./gate.ts";
import { createHabits } from "./habits.ts";
import type { Locks } from "./locks.ts";
import type { StatementPlan, Watch } from "./statements.ts";
import { StepWatch, type WatchParts } from "./watch.ts";

/** For statements that wait for nothing outside their process. */
const NO_LOCKS: Locks = { blockersOf: async () => [], gone: async () => undefined };

/** Decides whether statements of deliveries pass, wait or fail. */
export function createWatcher(locks = NO_LOCKS) {
  const habits = createHabits();
  let proxy: WatchParts["proxy"];
  let now: StepWatch | undefined;
  let latest = wallNow();

  return {
    use(opened: WatchParts["proxy"]): void {
      proxy = opened;
    },
    arrive(unit: Unit): Promise<Passage> | undefined {
      const { text, line, inTransaction } = unit;
      latest = wallNow();
      if (!inTransaction) line.owner = undefined;
      if (!now || now.isOver) habits.noteIdle(text);
      else if (now.countsAll || !habits.isBackground(text, line.owner !== undefined)) return now.arrive(unit);
      return undefined;
    },
    leave(): void {
      latest = wallNow();
      now?.changed();
    },
    quietFor: (): number => wallNow() - latest,
    watch(plan?: StatementPlan, usual = 0): Watch {
      now = new StepWatch({ habits, locks, proxy }, plan, usual);
      return now;
    },
    agree: habits.agree,
    pause: habits.pause,
  };
}
