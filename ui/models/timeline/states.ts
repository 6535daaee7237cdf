import { changeWords } from "../../../src/story/states.ts";
import type { Timeline } from "../../api-types.ts";
import { brief, toMs } from "../format.ts";

/** Something that happened to an endpoint, or may. */
export interface Flag {
  key: string;
  kind: string;
  at: number;
  text: string;
}

export function flagsOf({ changes, forecast, counter }: Timeline, now: number): Flag[] {
  const flags = changes.map((change, index): Flag => {
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
  const text = `Disabled at ${brief(at, now)}, at ${counter.threshold} failures in a row, if every attempt until then fails`;
  return [...flags, { key: "forecast", kind: "forecast", at, text }];
}
