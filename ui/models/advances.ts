import type { Advance } from "../api-types.ts";
import type { AdvanceProgress } from "./clock.ts";
import { count, roughly } from "./format.ts";

/** The steps that the clock bar offers, with the keys that take them. */
export const STEPS: { label: string; request: Advance; key: string }[] = [
  { label: "+1 min", request: { by: "1m" }, key: "→" },
  { label: "+10 min", request: { by: "10m" }, key: "⇧ →" },
  { label: "+1 h", request: { by: "1h" }, key: "h" },
  { label: "+1 day", request: { by: "1d" }, key: "d" },
];
export const NEXT: Advance = { until: "next" };
export const IDLE: Advance = { until: "idle" };

/** Speeds that are offered, virtual seconds in a real one. */
export const RATES = [1, 10, 60, 600, 3_600];

/** What an advance is called while it runs: `by 1h`, `to what is due next`, `to 2026-01-16`. */
export function requestWords({ by, to, until }: Advance): string {
  if (until === "next") return "to what is due next";
  if (until === "idle") return "until nothing is due";
  if (until !== undefined) return `until ${until}`;
  return by === undefined ? `to ${to}` : `by ${by}`;
}

/** What an advance is called once it was made: `+1 h`, `the advance to 2026-01-16`. */
export function advanceLabel(request: Advance): string {
  const step = STEPS.find((one) => JSON.stringify(one.request) === JSON.stringify(request));
  return (
    step?.label ?? (request.by === undefined ? `the advance ${requestWords(request)}` : `+${request.by}`)
  );
}

/** `24 m of 1 h: 12 entries, waiting for 1 answer`. */
export function progressWords({ from, now, to, entries, waiting }: AdvanceProgress): string {
  const goal = to === null ? "" : ` of ${roughly(to - from)}`;
  const open = waiting === 0 ? "" : `, waiting for ${count(waiting, "answer")}`;
  return `${roughly(now - from)}${goal}: ${count(entries, "entry", "entries")}${open}`;
}
