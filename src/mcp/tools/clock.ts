import { Type } from "typebox";
import type { ClockAdvance } from "../../client/http.ts";
import { misuse } from "../../errors/errors.ts";
import { describeTimer, tally, worthShowing } from "../../timeline/entries.ts";
import { Entry, entryView, optional, text, VirtualTime } from "../schemas.ts";
import { tool } from "../tool.ts";

const Target = {
  by: optional(text("How far: 30s, 10m, 1h30m, 2d.")),
  to: optional(text("To this virtual time, ISO 8601.")),
  until: optional(
    text(
      "'next': the next thing due, seeded endpoints and sessions aside; 'idle': until nothing is due; or a kind of journal entry, such as webhook.disabled.",
    ),
  ),
};

/** The most entries and timers that a result has. */
const MOST_SHOWN = 100;

/** @throws SandboxError `bad_request` unless there is exactly one */
function readTarget(input: Partial<Record<keyof typeof Target, string>>): ClockAdvance {
  const named = Object.entries(input).filter(([, value]) => value !== undefined);
  if (named.length === 1) return { ...input, ...(input.until === "next" && { own: true }) };
  throw misuse(
    `An advance takes one of by, to and until, not ${named.length === 0 ? "none" : named.map(([name]) => name).join(" and ")}.`,
    'For example {"by": "1h"} or {"until": "next"}.',
  );
}

/** The virtual clock. */
export const clockTools = [
  tool({
    name: "advance",
    title: "Advance the virtual clock",
    description:
      "Moves the virtual clock forward and runs everything due until then: webhook retries, expiries, disabled endpoints. Returns once nothing is in flight. The clock never goes back.",
    effect: "changes",
    reachesOut: true,
    input: Target,
    output: {
      from: VirtualTime,
      to: VirtualTime,
      reached: Type.Boolean({ description: "Whether what `until` names happened." }),
      cancelled: Type.Boolean(),
      summary: text("What it caused, counted."),
      entries: Type.Array(Entry, { description: `What it caused, in order; the last ${MOST_SHOWN}.` }),
    },
    async run({ sandbox }, target, { signal }) {
      const client = await sandbox();
      const cancel = () =>
        void client.run("clock.cancelAdvance").catch(() => "The advance itself reports what went wrong.");
      signal.addEventListener("abort", cancel);
      try {
        const { from, to, reached, cancelled, ledger } = await client.advance(readTarget(target));
        const entries = worthShowing(ledger).slice(-MOST_SHOWN).map(entryView);
        return { from, to, reached, cancelled, summary: tally(ledger) || "Nothing was due.", entries };
      } finally {
        signal.removeEventListener("abort", cancel);
      }
    },
  }),
  tool({
    name: "preview_advance",
    title: "Preview an advance",
    description: "Reports what an advance would find due and cause. Changes nothing.",
    effect: "reads",
    input: Target,
    output: {
      from: VirtualTime,
      to: VirtualTime,
      due: Type.Array(Type.Object({ at: VirtualTime, what: Type.String(), key: Type.String() }), {
        description: `The first ${MOST_SHOWN} that are due.`,
      }),
      attempts: Type.Object({ least: Type.Integer(), most: Type.Integer() }),
      events: Type.Record(Type.String(), Type.Integer(), { description: "Events by type." }),
    },
    async run({ sandbox }, target) {
      const { from, to, would_fire, would_cause } = await (await sandbox()).previewAdvance(
        readTarget(target),
      );
      const due = would_fire
        .slice(0, MOST_SHOWN)
        .map((timer) => ({ at: timer.due_at, what: describeTimer(timer), key: timer.key }));
      return { from, to, due, attempts: would_cause.attempts, events: would_cause.events };
    },
  }),
];
