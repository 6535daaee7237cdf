import type { DisabledReason, EndpointStatus } from "./endpoint-state.ts";
import type { Timeline } from "./shapes.ts";
import { clip, plain } from "./text.ts";

type Change = Timeline["changes"][number];

/** A time in which an endpoint was enabled or disabled. Virtual milliseconds. */
export interface StateBand {
  /** Minus infinity if the state is older than the known data. */
  from: number;
  /** Absent for the present state. */
  to: number | undefined;
  state: Exclude<EndpointStatus, "deleted">;
}

/** The sign and the name of a change, and the states that it began and ended. */
const CHANGES: Record<
  Change["type"],
  {
    glyph: string;
    words: string;
    tone?: "good" | "bad";
    begins?: StateBand["state"];
    ends?: StateBand["state"];
  }
> = {
  created: { glyph: "+", words: "Endpoint created", begins: "enabled" },
  updated: { glyph: "~", words: "Endpoint updated" },
  disabled: { glyph: "■", words: "Endpoint disabled", tone: "bad", begins: "disabled", ends: "enabled" },
  enabled: { glyph: "▶", words: "Endpoint enabled", tone: "good", begins: "enabled", ends: "disabled" },
  deleted: { glyph: "×", words: "Endpoint deleted", ends: "enabled" },
  mail: { glyph: "✉", words: "E-mail sent" },
};

/** The states of an endpoint, in order of time. */
export function bandsOf({ changes, status }: Timeline): StateBand[] {
  const first = changes.find(({ type }) => CHANGES[type]?.begins ?? CHANGES[type]?.ends);
  const state = first ? CHANGES[first.type].ends : status === "deleted" ? undefined : status;
  const bands: StateBand[] =
    state === undefined ? [] : [{ from: Number.NEGATIVE_INFINITY, to: undefined, state }];
  for (const { type, at: iso } of changes) {
    const last = bands.at(-1);
    const next = CHANGES[type]?.begins;
    if (type !== "deleted" && (next === undefined || next === last?.state)) continue;
    const at = Date.parse(iso);
    if (last) last.to ??= at;
    if (next) bands.push({ from: at, to: undefined, state: next });
  }
  return bands;
}

/** The sign in the flag of a change. */
export const changeGlyph = (type: Change["type"]): string => CHANGES[type]?.glyph ?? "?";

/** The colour of a change. */
export const changeTone = (type: Change["type"]): "good" | "bad" | "none" => CHANGES[type]?.tone ?? "none";

/** Why an endpoint was disabled or enabled. */
export const STATE_REASONS: Record<DisabledReason, string> = {
  consecutive_failures: "too many failures in a row",
  failing_for: "failing for too long",
  gone: "its subscriber wants nothing more",
  dashboard: "by hand",
  api: "over the API",
};
/** The longest reason that is shown; that of an e-mail is its subject. */
const LONGEST = 200;

/**
 * A change of an endpoint, in words.
 * @param time in words; left out if it is shown beside them
 */
export function changeWords({ type, reason }: Pick<Change, "type" | "reason">, time?: string): string {
  const when = time === undefined ? "" : ` at ${time}`;
  const why =
    reason === null ? "" : `: ${plain(clip(STATE_REASONS[reason as DisabledReason] ?? reason, LONGEST))}`;
  return `${CHANGES[type]?.words ?? plain(type)}${when}${why}`;
}
