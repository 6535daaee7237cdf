import type { App } from "../http/types.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import { iso, parseInstant } from "../world/duration.ts";
import * as shapes from "./schemas.ts";

const tags = (name: string) => ({ tags: [name] });

/** Status, reset and the clock. */
export function worldRoutes(app: App): void {
  app.get(
    "/status",
    {
      schema: {
        operationId: "status",
        summary: "What is running, where, with which keys",
        ...tags("World"),
        response: { 200: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => {
      await sandbox.refresh();
      return statusOf(sandbox);
    },
  );
  app.post(
    "/reset",
    {
      schema: {
        operationId: "reset",
        summary: "Back to the seeded fixtures",
        ...tags("World"),
        body: shapes.Reset,
        response: { 200: shapes.StatusBody, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => {
      await sandbox.reset(body.seed);
      return statusOf(sandbox);
    },
  );
}

/** The object of `start --json`, with counts and the journal's end. */
export const statusOf = (sandbox: Sandbox) => ({
  ...sandbox.status(),
  counts: sandbox.counts(),
  last_seq: sandbox.journal.lastSeq(),
});

export function clockRoutes(app: App): void {
  const answers = { response: { 200: shapes.ClockState, ...shapes.controlErrors } };
  app.get(
    "/clock",
    { schema: { operationId: "getClock", summary: "The virtual clock", ...tags("Clock"), ...answers } },
    async ({ sandbox }) => sandbox.clock.state(),
  );

  app.put(
    "/clock",
    {
      schema: {
        operationId: "setClock",
        summary: "Change mode, rate or time",
        description:
          "`now` may only be later; what falls due on the way is done, as in an advance. Where that advance is ended sooner, the answer is 409 `conflict`, and the clock stays there with its mode and rate.",
        ...tags("Clock"),
        body: shapes.ClockChange,
        ...answers,
      },
    },
    async ({ sandbox, body }) => {
      const { now, ...change } = body;
      return sandbox.clock.set({ ...change, ...(now === undefined ? {} : { now: parseInstant(now) }) });
    },
  );

  app.post(
    "/clock/advance",
    {
      schema: {
        operationId: "advance",
        summary: "Move the clock and do all that falls due",
        description:
          "Takes one of `by`, `to` and `until`. Answers when the world is quiet at the target, with a ledger of what happened. `DELETE` on the same path ends it sooner.",
        ...tags("Clock"),
        body: shapes.Advance,
        response: { 200: shapes.AdvanceAnswer, ...shapes.controlErrors },
      },
    },
    async ({ sandbox, body }) => {
      const { dryRun, ...request } = body;
      if (!dryRun) return sandbox.clock.advance(request);
      const { from, to, timers, outlook } = sandbox.clock.preview(request);
      const wouldFire = timers.map(({ due, kind, key, payload }) => ({
        due_at: iso(due),
        kind,
        key,
        payload,
      }));
      return { from, to, dry_run: true, would_fire: wouldFire, would_cause: outlook };
    },
  );

  app.delete(
    "/clock/advance",
    {
      schema: {
        operationId: "cancelAdvance",
        summary: "End the advance in progress",
        description:
          "Between two instants: the attempts of the one it is at are answered, or given up after `settleTimeout`, and written first. The call that asked for the advance answers with `cancelled: true` and what happened up to there. Advances that wait for their turn follow. Without an advance in progress nothing changes.",
        ...tags("Clock"),
        response: { 200: shapes.AdvanceCancelled, ...shapes.controlErrors },
      },
    },
    async ({ sandbox }) => sandbox.clock.cancelAdvance(),
  );

  app.post(
    "/clock/pause",
    { schema: { operationId: "pauseClock", summary: "Stop the clock", ...tags("Clock"), ...answers } },
    async ({ sandbox }) => sandbox.clock.set({ mode: "paused" }),
  );
  app.post(
    "/clock/resume",
    {
      schema: {
        operationId: "resumeClock",
        summary: "Let the clock run again, at its rate",
        ...tags("Clock"),
        ...answers,
      },
    },
    async ({ sandbox }) => {
      const { mode, rate } = sandbox.clock.state();
      return mode === "paused"
        ? sandbox.clock.set({ mode: rate === 1 ? "live" : "scaled" })
        : sandbox.clock.state();
    },
  );
}
