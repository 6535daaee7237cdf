import { type DisabledReason, type EndpointStatus, type RowStatus, STATES } from "./endpoint-state.ts";
import type { Timeline } from "./schemas.ts";
import { clip, plain } from "./text.ts";

type Change = Timeline["changes"][number];

/** A time in which an endpoint was enabled or disabled. Virtual milliseconds. */
export interface StateBand {
  /** Minus infinity if the state is older than the known data. */
  from: number;
  /** Absent for the present state. */
  to: number | undefined;
  state: RowStatus;
}

/** The state after a change; undefined if the change leads to none. */
function stateAfter(type: Change["type"]): EndpointStatus | undefined {
  if (type === "created") return "enabled";
  return Object.hasOwn(STATES, type) ? (type as EndpointStatus) : undefined;
}

/** The states of an endpoint, in order of time. */
export function bandsOf({ changes, status }: Timeline): StateBand[] {
  const first = changes.find(({ type }) => stateAfter(type))?.type;
  const known =
    first === undefined ? status : first === "created" ? undefined : STATES[first as RowStatus].after;
  const bands: StateBand[] =
    known === undefined || known === "deleted"
      ? []
      : [{ from: Number.NEGATIVE_INFINITY, to: undefined, state: known }];
  for (const { type, at: iso } of changes) {
    const last = bands.at(-1);
    const next = stateAfter(type);
    if (next === undefined || next === last?.state) continue;
    const at = Date.parse(iso);
    if (last) last.to ??= at;
    if (next !== "deleted") bands.push({ from: at, to: undefined, state: next });
  }
  return bands;
}

/** The changes that do not lead to a state of their name. */
const OTHERS: Record<string, { glyph: string; words: string } | undefined> = {
  created: { glyph: "+", words: "Endpoint created" },
  updated: { glyph: "~", words: "Endpoint updated" },
  mail: { glyph: "✉", words: "E-mail sent" },
};
const kindOf = (type: string) => (Object.hasOwn(STATES, type) ? STATES[type as EndpointStatus] : undefined);

export const changeGlyph = (type: string): string => (kindOf(type) ?? OTHERS[type])?.glyph ?? "?";

/** How a change, or a state, is coloured. */
export const changeTone = (type: string): "good" | "bad" | "none" => kindOf(type)?.tone ?? "none";

export const STATE_REASONS: Record<DisabledReason, string> = {
  consecutive_failures: "too many failures in a row",
  failing_for: "failing for too long",
  gone: "its subscriber answered that it is gone",
  dashboard: "by hand",
  api: "over the API",
};
/** The longest reason that is shown; that of an e-mail is its subject. */
const LONGEST = 200;

/** Describes a change of an endpoint in words. @param time in words; omitted if it is shown beside them */
export function changeWords({ type, reason }: Pick<Change, "type" | "reason">, time?: string): string {
  const when = time === undefined ? "" : ` at ${time}`;
  const why =
    reason === null ? "" : `: ${plain(clip(STATE_REASONS[reason as DisabledReason] ?? reason, LONGEST))}`;
  const what = kindOf(type) ? `Endpoint ${type}` : (OTHERS[type]?.words ?? plain(type));
  return `${what}${when}${why}`;
}
