import { type DisabledReason, type EndpointStatus, type RowStatus, STATES } from "./endpoint-state.ts";
import type { Timeline } from "./schemas.ts";
import { clip, plain } from "./text.ts";

type Change = Timeline["changes"][number];

/** A period in one endpoint state, in virtual milliseconds. */
export interface StateBand {
  /** Minus infinity if the state is older than the known data. */
  from: number;
  /** Undefined for the current state. */
  to: number | undefined;
  state: RowStatus;
}

/** The state after a change; undefined if the change does not set a state. */
function stateAfter(type: Change["type"]): EndpointStatus | undefined {
  if (type === "created") return "enabled";
  return Object.hasOwn(STATES, type) ? (type as EndpointStatus) : undefined;
}

/** An endpoint's states in chronological order. */
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

/** Changes that are not named after the state they lead to. */
const OTHERS: Record<string, { glyph: string; words: string } | undefined> = {
  created: { glyph: "+", words: "Endpoint created" },
  updated: { glyph: "~", words: "Endpoint updated" },
  mail: { glyph: "✉", words: "E-mail sent" },
};
const kindOf = (type: string) => (Object.hasOwn(STATES, type) ? STATES[type as EndpointStatus] : undefined);

export const changeGlyph = (type: string): string => (kindOf(type) ?? OTHERS[type])?.glyph ?? "?";

export const changeTone = (type: string): "good" | "bad" | "none" => kindOf(type)?.tone ?? "none";

export const STATE_REASONS: Record<DisabledReason, string> = {
  consecutive_failures: "too many failures in a row",
  failing_for: "failing for too long",
  gone: "its subscriber responded that it is gone",
  dashboard: "by hand",
  api: "over the API",
};
/** The maximum length of a displayed reason. An e-mail's reason is its subject. */
const LONGEST = 200;

/** Describes a change to an endpoint. @param time the formatted time; omit it if it is shown next to the description */
export function changeWords({ type, reason }: Pick<Change, "type" | "reason">, time?: string): string {
  const when = time === undefined ? "" : ` at ${time}`;
  const why =
    reason === null ? "" : `: ${plain(clip(STATE_REASONS[reason as DisabledReason] ?? reason, LONGEST))}`;
  const what = kindOf(type) ? `Endpoint ${type}` : (OTHERS[type]?.words ?? plain(type));
  return `${what}${when}${why}`;
}
