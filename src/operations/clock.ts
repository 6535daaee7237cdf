import { type Static, Type } from "typebox";
import { flag, type Input, integer, listOf, oneOf, shape, text, VirtualTime } from "../http/shapes.ts";
import { CLOCK_MODES, MAX_RATE } from "../world/clock.ts";
import { Anything, DurationValue, partialBody, TimeValue } from "./common.ts";
import { operationsOf } from "./operation.ts";
import { JournalEntry } from "./records.ts";

export const ClockState = shape("Clock", {
  mode: oneOf(CLOCK_MODES),
  rate: Type.Number({
    description:
      "Virtual seconds per real second: 1 in live mode; while paused, the rate that resuming restores.",
  }),
  now: VirtualTime,
});

export const ClockChange = partialBody("ClockChange", {
  mode: oneOf(CLOCK_MODES),
  rate: Type.Number({
    exclusiveMinimum: 0,
    maximum: MAX_RATE,
    description: "Virtual seconds per real second; 1 is real time.",
  }),
  now: {
    ...TimeValue,
    description: "Virtual time to advance to: ISO 8601, or milliseconds since the epoch.",
  },
});

export const Advance = partialBody("Advance", {
  by: DurationValue,
  to: TimeValue,
  until: text("next, idle, or the name of an event such as webhook.disabled."),
  own: flag("With `until: next`: skips timers from the demo data, unless nothing else is due."),
  dryRun: flag("Reports which timers would fire first and what they would cause, without changing anything."),
});

/** The target of an advance: exactly one of `by`, `to` and `until`. */
export type ClockAdvance = Omit<Input<typeof Advance>, "dryRun">;

export const AdvanceResult = shape("AdvanceResult", {
  from: Type.String({ ...VirtualTime, description: "Virtual time before the advance, ISO 8601." }),
  to: Type.String({ ...VirtualTime, description: "Virtual time after the advance, ISO 8601." }),
  wall_ms: integer("How long the advance took, in real milliseconds."),
  reached: flag(
    "Whether the advance reached its target. If `until` names an entry: whether that entry happened.",
  ),
  cancelled: flag("Whether the advance was cancelled early, at `to`."),
  ledger: listOf(JournalEntry, "The journal entries that the advance caused, in order."),
  happened_at: Type.Optional(
    text(
      "When the awaited entry last happened, if this advance did not cause it. Such an advance stops once nothing is due except for the demo data.",
    ),
  ),
});

export const AdvancePreview = shape("AdvancePreview", {
  from: VirtualTime,
  to: VirtualTime,
  dry_run: Type.Literal(true),
  would_fire: listOf(
    Type.Object({
      due_at: VirtualTime,
      kind: Type.String(),
      key: Type.String(),
      payload: Anything,
      seeded: flag("Whether the timer concerns only the demo data."),
    }),
    "The timers that are due first, in order; at most 1,000.",
  ),
  would_fire_count: integer("How many timers are due first, including those not listed."),
  would_cause: Type.Object(
    {
      attempts: Type.Object(
        { least: Type.Integer(), most: Type.Integer() },
        {
          description:
            "How many webhook attempts finish: the minimum and the maximum, which differ if the number depends on responses.",
        },
      ),
      events: Type.Record(Type.String(), Type.Integer(), {
        description: "How many sessions expire and payments are settled, by journal entry type.",
      }),
    },
    {
      description:
        "Everything that the advance would cause, including the consequences of the timers that are due first.",
    },
  ),
});

/** The result type for calls without dryRun. Callers that pass dryRun expect a preview. */
export const AdvanceAnswer = Type.Unsafe<Static<typeof AdvanceResult>>(
  Type.Union([AdvanceResult, AdvancePreview], {
    description: "What the advance caused or, with dryRun, would cause.",
  }),
);

export const AdvanceCancelled = shape("AdvanceCancelled", {
  cancelled: flag("Whether an advance was in progress."),
  now: VirtualTime,
});

const operation = operationsOf("Clock");

export const clockOperations = [
  operation("clock.state", "GET /clock", {
    id: "getClock",
    summary: "The virtual clock",
    answer: ClockState,
    library: {},
  }),
  operation("clock.set", "PUT /clock", {
    id: "setClock",
    summary: "Change mode, rate or time",
    description:
      "`now` can only move forward; everything due until then runs, as in an advance. If that advance is cancelled, the response is 409 `conflict`, and the clock stays where it stopped, with its mode and rate unchanged.",
    body: ClockChange,
    answer: ClockState,
    library: { takes: ["*"] },
  }),
  operation("clock.advance", "POST /clock/advance", {
    id: "advance",
    reachesOut: true,
    summary: "Advance the clock and run everything that falls due",
    description:
      "Takes one of `by`, `to` and `until`. Returns once nothing is in flight at the target, with a summary of what happened. `DELETE` on the same path cancels it.",
    body: Advance,
    answer: AdvanceAnswer,
    library: { takes: [{ short: "by" }] },
  }),
  operation("clock.cancelAdvance", "DELETE /clock/advance", {
    id: "cancelAdvance",
    summary: "Cancel the advance in progress",
    description:
      "The advance stops between two instants: attempts made at the current instant first get their responses, or time out after `settleTimeout`. The call that started the advance returns `cancelled: true` and what happened so far. Waiting advances then start. If no advance is in progress, nothing changes.",
    answer: AdvanceCancelled,
    library: {},
  }),
  operation("clock.pause", "POST /clock/pause", {
    id: "pauseClock",
    summary: "Stop the clock",
    answer: ClockState,
    library: {},
  }),
  operation("clock.resume", "POST /clock/resume", {
    id: "resumeClock",
    summary: "Resume the clock at its rate",
    answer: ClockState,
    library: {},
  }),
];
