import type { Timeline } from "../../api-types.ts";
import { brief, toMs } from "../format.ts";

/** When an endpoint was on, and when it was off. */
export interface StateBand {
  from: number;
  /** Absent for the state it is in now. */
  to: number | undefined;
  state: "enabled" | "disabled";
}

export type FlagKind = "created" | "updated" | "disabled" | "enabled" | "deleted" | "mail" | "forecast";

/** Something that happened to an endpoint, or may. */
export interface Flag {
  key: string;
  kind: FlagKind;
  at: number;
  text: string;
}

export function bandsOf({ changes, status }: Timeline): StateBand[] {
  const bands: StateBand[] = [];
  for (const { type, at } of changes) {
    const state =
      type === "created" || type === "enabled" ? "enabled" : type === "disabled" ? "disabled" : undefined;
    const last = bands.at(-1);
    if (type === "deleted" && last) last.to = toMs(at);
    if (state === undefined || last?.state === state) continue;
    if (last) last.to = toMs(at);
    bands.push({ from: toMs(at), to: undefined, state });
  }
  if (bands.length === 0 && status !== "deleted")
    bands.push({ from: Number.NEGATIVE_INFINITY, to: undefined, state: status });
  return bands;
}

const WORDS: Record<Exclude<FlagKind, "forecast">, string> = {
  created: "Created",
  updated: "Changed",
  disabled: "Disabled",
  enabled: "Enabled",
  deleted: "Deleted",
  mail: "E-mail",
};
const REASONS: Record<string, string> = {
  consecutive_failures: "too many failures in a row",
  dashboard: "by hand",
  api: "over the API",
};

export function flagsOf({ changes, forecast, counter }: Timeline, now: number): Flag[] {
  const flags = changes.map(({ type, reason, at }, index): Flag => {
    const kind = type as Exclude<FlagKind, "forecast">;
    const why = reason === null ? "" : `: ${REASONS[reason] ?? reason}`;
    return {
      key: `${type}/${index}`,
      kind,
      at: toMs(at),
      text: `${WORDS[kind]} at ${brief(toMs(at), now)}${why}`,
    };
  });
  if (forecast.disabled_at === null) return flags;
  const at = toMs(forecast.disabled_at);
  const text = `Disabled at ${brief(at, now)}, at ${counter.threshold} failures in a row, if every attempt until then fails`;
  return [...flags, { key: "forecast", kind: "forecast", at, text }];
}
