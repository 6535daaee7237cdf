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
  }),
  operation("clock.set", "PUT /clock", {
    id: "setClock",
    summary: "Change mode, rate or time",
    description:
      "`now` may only be later; everything due until then runs, as in an advance. Where that advance is ended sooner, the answer is 409 `conflict`, and the clock stays there with its mode and rate.",
    body: clock.ClockChange,
    answer: clock.ClockState,
    library: { takes: ["*"] },
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
  }),
  operation("clock.cancelAdvance", "DELETE /clock/advance", {
    id: "cancelAdvance",
    summary: "End the advance in progress",
    description:
      "Between two instants: the attempts of the one it is at are answered, or given up after `settleTimeout`, and written first. The call that asked for the advance answers with `cancelled: true` and what happened up to there. Advances that wait for their turn follow. Without an advance in progress nothing changes.",
    answer: clock.AdvanceCancelled,
    library: {},
  }),
  operation("clock.pause", "POST /clock/pause", {
    id: "pauseClock",
    summary: "Stop the clock",
    answer: clock.ClockState,
    library: {},
  }),
  operation("clock.resume", "POST /clock/resume", {
    id: "resumeClock",
    summary: "Let the clock run again, at its rate",
    answer: clock.ClockState,
    library: {},
  }),
];
