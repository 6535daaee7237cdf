import type { clockOperations } from "../../operations/clock.ts";
import { parseInstant } from "../../world/duration.ts";
import type { Bound } from "./bound.ts";

export const clockBound: Bound<(typeof clockOperations)[number]> = {
  "clock.state": ({ sandbox }) => sandbox.clock.state(),
  "clock.set": ({ sandbox, body: { now, ...change } }) =>
    sandbox.clock.set({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) }),
  async "clock.advance"({ sandbox, body: { dryRun, ...request } }) {
    if (!dryRun) return sandbox.clock.advance(request);
    // The type is that without dryRun; callers with dryRun expect a preview.
    return (await sandbox.clock.preview(request)) as never;
  },
  "clock.cancelAdvance": ({ sandbox }) => sandbox.clock.cancelAdvance(),
  "clock.pause": ({ sandbox }) => sandbox.clock.set({ mode: "paused" }),
  "clock.resume"({ sandbox }) {
    const { mode, rate } = sandbox.clock.state();
    return mode === "paused"
      ? sandbox.clock.set({ mode: rate === 1 ? "live" : "scaled" })
      : sandbox.clock.state();
  },
};
