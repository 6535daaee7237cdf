import type { Timeline } from "../operations/schemas/webhooks.ts";
import { clip, plain } from "./text.ts";

type Change = Timeline["changes"][number];

/** When an endpoint was on, and when it was off. Virtual milliseconds. */
export interface StateBand {
  /** Minus infinity for a state that is older than what is known. */
  from: number;
  /** Absent for the state it is in now. */
  to: number | undefined;
  state: "enabled" | "disabled";
}

const STATES: Record<string, StateBand["state"]> = {
  created: "enabled",
  enabled: "enabled",
  disabled: "disabled",
};
/** The state that a change ended. */
const STATES_BEFORE: Record<string, StateBand["state"]> = {
  enabled: "disabled",
  disabled: "enabled",
  deleted: "enabled",
};

/** The states of an endpoint, in order of time. */
export function bandsOf({ changes, status }: Timeline): StateBand[] {
  const first = changes.find(({ type }) => type in STATES || type in STATES_BEFORE);
  const state = first ? STATES_BEFORE[first.type] : status === "deleted" ? undefined : status;
  const bands: StateBand[] =
    state === undefined ? [] : [{ from: Number.NEGATIVE_INFINITY, to: undefined, state }];
  for (const { type, at: iso } of changes) {
    const last = bands.at(-1);
    const next = STATES[type];
    if (type !== "deleted" && (next === undefined || next === last?.state)) continue;
    const at = Date.parse(iso);
    if (last) last.to ??= at;
    if (next) bands.push({ from: at, to: undefined, state: next });
  }
  return bands;
}

/** What stands in the flag of a change. */
export const CHANGE_GLYPHS: Record<string, string> = {
  created: "+",
  updated: "~",
  disabled: "■",
  enabled: "▶",
  deleted: "×",
  mail: "✉",
};
const WORDS: Record<string, string> = {
  created: "Endpoint created",
  updated: "Endpoint updated",
  disabled: "Endpoint disabled",
  enabled: "Endpoint enabled",
  deleted: "Endpoint deleted",
  mail: "E-mail sent",
};
const REASONS: Record<string, string> = {
  consecutive_failures: "too many failures in a row",
  dashboard: "by hand",
  api: "over the API",
};
/** The longest that a reason is shown; that of an e-mail is its subject. */
const LONGEST = 200;

/** Something that happened to an endpoint, in words. @param time when, as it is written; left out where it stands beside */
export function changeWords({ type, reason }: Pick<Change, "type" | "reason">, time?: string): string {
  const when = time === undefined ? "" : ` at ${time}`;
  const why = reason === null ? "" : `: ${plain(clip(REASONS[reason] ?? reason, LONGEST))}`;
  return `${WORDS[type] ?? plain(type)}${when}${why}`;
}
