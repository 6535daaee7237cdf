import { brief, count, duration, relative } from "../format.ts";
import type { Group } from "./groups.ts";
import type { Mark } from "./marks.ts";

/** A mark in words. */
export function markWords(mark: Mark, now: number): string {
  const { kind, event, attempt, trigger, at, took, result } = mark;
  const when = `at ${brief(at, now)}`;
  if (kind === "planned") return `Attempt ${attempt} of ${event}, planned ${when}, ${relative(at, now)}`;
  if (kind === "forecast") return `Attempt ${attempt} of ${event} would follow ${when}`;
  if (kind === "skipped") return `Attempt ${attempt} of ${event} will not be made`;
  const what = trigger === "test" ? "Test" : trigger === "manual" ? "Retry by hand" : `Attempt ${attempt}`;
  const after = took === null ? "" : ` after ${duration(took)}`;
  return `${what} of ${event} ${result}${after}, ${when}`;
}

/** A group of marks in a line. */
export function groupWords({ marks }: Group, now: number): string {
  if (marks.length === 1) return markWords(marks[0]!, now);
  const failed = marks.filter(({ tone }) => tone === "bad").length;
  const from = brief(marks[0]!.at, now);
  const to = brief(marks.at(-1)!.at, now);
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`;
  if (marks[0]!.kind === "planned" || marks[0]!.kind === "forecast")
    return `${count(marks.length, "attempt")} to come, ${when}`;
  return `${count(marks.length, "attempt")}, ${failed} failed, ${when}`;
}
