/**
 * The states of a webhook endpoint: the effect of each on its events, and the changes between them. The engine, the seed, the
 * page's past and every drawing use this table. Pure.
 */
interface StateKind {
  /** Whether its events are sent. Otherwise, they are skipped as `endpoint_{state}`. */
  sends: boolean;
  /** The state assumed to precede it if nothing earlier is known. */
  after: string;
  /** The glyph in the flag that marks a change to the state, and the colour of both. */
  glyph: string;
  tone: "good" | "bad" | "none";
}

/**
 * Every endpoint state. Schemas, row rules, fixtures, drawings and displayed text derive from it; changes are named
 * after it.
 */
export const STATES = {
  enabled: { sends: true, after: "disabled", glyph: "▶", tone: "good" },
  disabled: { sends: false, after: "enabled", glyph: "■", tone: "bad" },
  deleted: { sends: false, after: "enabled", glyph: "×", tone: "none" },
} as const satisfies Record<string, StateKind>;

export type EndpointStatus = keyof typeof STATES;
/** The states stored in an endpoint's row. A deleted endpoint keeps its last one. */
export type RowStatus = Exclude<EndpointStatus, "deleted">;
export const ENDPOINT_STATES = Object.keys(STATES) as EndpointStatus[];
export const ENDPOINT_STATUSES = ENDPOINT_STATES.filter((state) => state !== "deleted");

/** A change to an endpoint, by a person or by the policy. */
export type EndpointChange = "created" | "updated" | EndpointStatus;
export const ENDPOINT_CHANGES: readonly EndpointChange[] = ["created", "updated", ...ENDPOINT_STATES];

/** Why an endpoint's events and planned retries are not sent. */
export type SkipReason = `endpoint_${Exclude<EndpointStatus, "enabled">}`;
/** Why an endpoint gets no events in a state; null if its events are sent. */
export const skipOf = (state: EndpointStatus): SkipReason | null =>
  STATES[state].sends ? null : (`endpoint_${state}` as SkipReason);
export const SKIP_REASONS = ENDPOINT_STATES.map(skipOf).filter((reason) => reason !== null);

/** Who or what disabled an endpoint: the policy, or a person. */
export const DISABLED_REASONS = ["consecutive_failures", "failing_for", "gone", "dashboard", "api"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface EndpointState {
  status: EndpointStatus;
  consecutiveFailures: number;
  /** The end of the first failure, in virtual milliseconds; null if there is none. */
  firstFailedAt: number | null;
}

const HEALTHY = { consecutiveFailures: 0, firstFailedAt: null } as const;

export const NEW_ENDPOINT: EndpointState = { status: "enabled", ...HEALTHY };

/** The state of an endpoint's row: a deleted one keeps its last status. */
export const stateOf = (row: {
  status: RowStatus;
  consecutive_failures: number;
  first_failed_at: number | null;
  deleted_at: number | null;
}): EndpointState => ({
  status: row.deleted_at === null ? row.status : "deleted",
  consecutiveFailures: row.consecutive_failures,
  firstFailedAt: row.first_failed_at,
});

/** Any success resets the failure counter. */
export const afterSuccess = (state: EndpointState): EndpointState => ({ ...state, ...HEALTHY });

/** @param at the end of the attempt, in virtual milliseconds */
export const afterFailure = (state: EndpointState, at: number): EndpointState => ({
  ...state,
  consecutiveFailures: state.consecutiveFailures + 1,
  firstFailedAt: state.firstFailedAt ?? at,
});

export function afterChange(state: EndpointState, change: EndpointChange): EndpointState {
  if (change === "updated") return state;
  // Re-enabling resets the failures; skipped attempts stay skipped.
  return change === "created" || change === "enabled" ? NEW_ENDPOINT : { ...state, status: change };
}
