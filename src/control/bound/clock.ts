import type { clockOperations } from "../../operations/clock.ts";
import { iso, parseInstant } from "../../world/duration.ts";
import type { Bound } from "./bound.ts";

export const clockBound: Bound<(typeof clockOperations)[number]> = {
  "clock.state": ({ sandbox }) => sandbox.clock.state(),
  "clock.set": ({ sandbox, body: { now, ...change } }) =>
    sandbox.clock.set({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) }),
  async "clock.advance"({ sandbox, body: { dryRun, ...request } }) {
    if (!dryRun) return sandbox.clock.advance(request);
    const { from, to, due, outlook } = await sandbox.clock.preview(request);
    const wouldFire = due.first.map((timer) => {
      const { due, kind, key, payload } = timer;
      return { due_at: iso(due), kind, key, payload, seeded: sandbox.clock.isSeeded(timer) };
    });
    const preview = { from, to, dry_run: true, would_fire: wouldFire, would_fire_count: due.count };
    // The type is that without dryRun; callers with dryRun expect a preview.
    return { ...preview, would_cause: outlook } as never;
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
