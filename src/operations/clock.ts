import type { Advance } from "../library/clock.ts";
import { iso, parseInstant } from "../world/duration.ts";
import { operationsOf } from "./operation.ts";
import * as clock from "./schemas/clock.ts";

const operation = operationsOf("Clock");

/** The clock of a world. */
export const clockOperations = [
  operation("clock.state", "GET /clock", {
    id: "getClock",
    summary: "The virtual clock",
    answer: clock.ClockState,
    library: {},
    run: ({ sandbox }) => sandbox.clock.state(),
  }),
  operation("clock.set", "PUT /clock", {
    id: "setClock",
    summary: "Change mode, rate or time",
    description:
      "`now` may only be later; everything due until then runs, as in an advance. Where that advance is ended sooner, the answer is 409 `conflict`, and the clock stays there with its mode and rate.",
    body: clock.ClockChange,
    answer: clock.ClockState,
    library: { takes: ["*"] },
    run: ({ sandbox, body: { now, ...change } }) =>
      sandbox.clock.set({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) }),
  }),
  operation("clock.advance", "POST /clock/advance", {
    id: "advance",
    reachesOut: true,
    summary: "Move the clock and do all that falls due",
    description:
      "Takes one of `by`, `to` and `until`. Answers when the world is quiet at the target, with a ledger of what happened. `DELETE` on the same path ends it sooner.",
    body: clock.Advance,
    answer: clock.AdvanceAnswer,
    library: { takes: [{ short: "by" }] },
    async run({ sandbox, body: { dryRun, ...request } }): Promise<Advance> {
      if (!dryRun) return sandbox.clock.advance(request);
      const { from, to, due, outlook } = await sandbox.clock.preview(request);
      const wouldFire = due.first.map((timer) => {
        const { due, kind, key, payload } = timer;
        return { due_at: iso(due), kind, key, payload, seeded: sandbox.clock.isSeeded(timer) };
      });
      const preview = { from, to, dry_run: true, would_fire: wouldFire, would_fire_count: due.count };
      // Typed for callers without dryRun; those with it know that they get a preview.
      return { ...preview, would_cause: outlook } as never;
    },
  }),
  operation("clock.cancelAdvance", "DELETE /clock/advance", {
    id: "cancelAdvance",
    summary: "End the advance in progress",
    description:
      "Between two instants: the attempts of the one it is at are answered, or given up after `settleTimeout`, and written first. The call that asked for the advance answers with `cancelled: true` and what happened up to there. Advances that wait for their turn follow. Without an advance in progress nothing changes.",
    answer: clock.AdvanceCancelled,
    library: {},
    run: ({ sandbox }) => sandbox.clock.cancelAdvance(),
  }),
  operation("clock.pause", "POST /clock/pause", {
    id: "pauseClock",
    summary: "Stop the clock",
    answer: clock.ClockState,
    library: {},
    run: ({ sandbox }) => sandbox.clock.set({ mode: "paused" }),
  }),
  operation("clock.resume", "POST /clock/resume", {
    id: "resumeClock",
    summary: "Let the clock run again, at its rate",
    answer: clock.ClockState,
    library: {},
    run({ sandbox }) {
      const { mode, rate } = sandbox.clock.state();
      return mode === "paused"
        ? sandbox.clock.set({ mode: rate === 1 ? "live" : "scaled" })
        : sandbox.clock.state();
    },
  }),
];
