import type { Group } from "../../../src/timeline/groups.ts";
import { groupWords, type Mark, markWords } from "../../../src/timeline/marks.ts";
import { changeWords } from "../../../src/timeline/states.ts";
import type { Timeline } from "../../api-types.ts";
import { brief, count, relative, toMs } from "../format.ts";

/** Describes a mark. For a planned attempt, this includes the time until then. */
export function markText(mark: Mark, now: number): string {
  const words = markWords(mark, (at) => brief(at, now));
  return mark.kind === "planned" ? `${words}, ${relative(mark.at, now)}` : words;
}

export function groupText({ marks }: Group, now: number): string {
  return marks.length === 1 ? markText(marks[0]!, now) : groupWords(marks, (at) => brief(at, now));
}

export interface Flag {
  key: string;
  kind: Timeline["changes"][number]["type"] | "forecast";
  at: number;
  text: string;
}

/** Merges the journal entries that a single edit caused into one flag. */
function joined(changes: Timeline["changes"]): Timeline["changes"] {
  const all: Timeline["changes"] = [];
  for (const change of changes) {
    const last = all.at(-1);
    if (change.type !== "updated" || last?.type !== "updated" || last.at !== change.at) all.push(change);
    else if (!last.reason?.includes(change.reason ?? ""))
      all[all.length - 1] = { ...last, reason: `${last.reason}, ${change.reason}` };
  }
  return all;
}

export function flagsOf({ changes, forecast, counter }: Timeline, now: number): Flag[] {
  const flags = joined(changes).map((change, index): Flag => {
    const at = toMs(change.at);
    return {
      key: `${change.type}/${index}`,
      kind: change.type,
      at,
      text: changeWords(change, brief(at, now)),
    };
  });
  if (forecast.disabled_at === null) return flags;
  const at = toMs(forecast.disabled_at);
  const text = `Disabled at ${brief(at, now)}, at ${count(counter.threshold ?? 0, "failure")} in a row, if every attempt until then fails`;
  return [...flags, { key: "forecast", kind: "forecast", at, text }];
}
