import { count, listed } from "../../timeline/text.ts";
import type { Finding } from "../schedules/exploration.ts";
import { pathWords, shown } from "../schedules/words.ts";
import type { Difference } from "../subject/state.ts";

const MOST_CHANGES = 3;
/** How many deliveries to show before and after the one where the runs diverge. */
const BEFORE = 3;
const AFTER = 2;

/** One or several simultaneous deliveries, with a description of their changes in both runs. */
export interface PartingRow {
  /** The numbers of the attempts, starting at 1. */
  attempts: number[];
  event: string;
  calm: string[];
  found: string[];
  /** Whether the runs diverge here. */
  parts: boolean;
}

/** The effects of a finding's deliveries compared with the calm run, around the point where the runs diverge. */
export function partingRows({ steps, run }: Pick<Finding, "steps" | "run">): PartingRow[] {
  const at = steps.findIndex(({ parts }) => parts);
  if (at < 0) return [];
  return steps.slice(Math.max(0, at - BEFORE), at + 1 + AFTER).map(({ attempts, calm, found, parts }) => ({
    attempts: attempts.map((index) => index + 1),
    event: listed([...new Set(attempts.map((index) => run.attempts[index]!.event))]),
    ...{ calm: changeWords(calm), found: changeWords(found), parts },
  }));
}

function changeWords(changes: readonly Difference[]): string[] {
  if (changes.length === 0) return ["nothing"];
  const left = changes.length - MOST_CHANGES;
  return [
    ...changes
      .slice(0, MOST_CHANGES)
      .map(({ path, expected, actual }) => `${pathWords(path)}: ${shown(expected)} → ${shown(actual)}`),
    ...(left > 0 ? [`and ${count(left, "more change")}`] : []),
  ];
}
