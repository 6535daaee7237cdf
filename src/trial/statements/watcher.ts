import { wallNow } from "../../world/clock.ts";
import type { Gate } from "./gate.ts";
import { createHabits } from "./habits.ts";
import { isCall } from "./point.ts";
import type { Statements } from "./statements.ts";
import type { WatchParts } from "./traffic.ts";
import { StepWatch } from "./watch.ts";
import type { Locks } from "./wire.ts";

/** Decides whether statements of deliveries pass, wait or fail. */
export interface Watcher extends Gate, Pick<Statements, "watch" | "agree" | "pause" | "quietFor"> {
  use(proxy: WatchParts["proxy"]): void;
}

/** For statements that never wait for anything outside their process. */
const NO_LOCKS: Locks = { waitsFor: async () => false, isLeft: async () => false };

export function createWatcher(locks = NO_LOCKS): Watcher {
  const habits = createHabits();
  let proxy: WatchParts["proxy"];
  let now: StepWatch | undefined;
  let latest = wallNow();

  return {
    use(opened) {
      proxy = opened;
    },
    arrive(unit) {
      const { text, line } = unit;
      latest = wallNow();
      if (!line.inTransaction) line.owner = undefined;
      if (now?.isFrozen && isCall(line.of)) return new Promise(() => undefined);
      if (!now || now.isOver || now.isPast()) habits.noteIdle(text);
      else if (now.countsAll || !habits.isBackground(text, line.owner !== undefined)) return now.arrive(unit);
      return undefined;
    },
    leave({ line }) {
      latest = wallNow();
      // A polling worker would keep a step from ever becoming quiet.
      if (line.owner !== undefined) now?.changed();
    },
    quietFor: () => wallNow() - latest,
    watch(plan, usual = 0) {
      now = new StepWatch({ habits, locks, proxy }, plan, usual);
      return now;
    },
    agree: habits.agree,
    pause: habits.pause,
  };
}
