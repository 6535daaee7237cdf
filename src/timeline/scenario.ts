import type { JournalEntry } from "../world/journal.ts";
import { roughly } from "./duration.ts";
import { tally } from "./entries.ts";
import { between } from "./instant.ts";
import type { ScenarioFailure } from "./schemas.ts";
import { clip, plainLines } from "./text.ts";

const KINDS: Record<ScenarioFailure["code"], string> = {
  expectation: "An expectation was not met",
  error: "It threw an error",
  time_limit: "It took too long",
  nothing_expected: "It checked no expectations",
  step_not_awaited: "A step was not awaited",
  stopped: "It was stopped",
};

export const failureKind = (code: string): string =>
  Object.hasOwn(KINDS, code) ? KINDS[code as ScenarioFailure["code"]] : "It failed";

/** A position in a file: `scenarios/retries.ts:12:7`. */
export function positionText({ file, line, column }: NonNullable<ScenarioFailure["position"]>): string {
  return `${file}:${line}:${column}`;
}

const HEADLINE = 300;

/** A message on one line: `expect(received).toBe(expected). Expected: 4. Received: 3`. */
export function headline(message: string): string {
  const lines = plainLines(message).map((line) => line.trim());
  const first = lines.find((line) => line !== "") ?? "";
  const compared = ["Expected", "Received"].flatMap((word) => {
    const line = lines.find((one) => one !== first && one.startsWith(word));
    return line === undefined ? [] : [line];
  });
  return clip([first, ...compared].join(". "), HEADLINE);
}

/** A failure as plain lines: message, position and hint. */
export function failureLines({
  message,
  position = null,
  hint,
}: Pick<ScenarioFailure, "message" | "hint"> & Partial<Pick<ScenarioFailure, "position">>): string[] {
  return [
    ...plainLines(message),
    ...(position ? [`at ${positionText(position)}`] : []),
    ...(hint === "" ? [] : plainLines(hint)),
  ];
}

/** The step that failed. If several steps have that title, the last one that failed. */
export function stepOf<Step extends { title: string; result: "passed" | "failed" }>(
  steps: readonly Step[],
  { step }: ScenarioFailure,
): Step | undefined {
  return steps.findLast(({ title, result }) => result === "failed" && title === step);
}

/** A step's result: `11 min: 2 attempts failed`. Empty if nothing happened. */
export function stepSummary({
  started_at: from,
  ended_at: to,
  ledger,
}: {
  started_at: string;
  ended_at: string;
  ledger: readonly JournalEntry[];
}): string {
  const length = between(from, to);
  return [length > 0 ? roughly(length) : "", tally(ledger)].filter(Boolean).join(": ");
}
