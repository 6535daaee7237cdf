/**
 * The states of a webhook endpoint: the effect of each on its events, and the changes between them. The engine, the seed, the
 * page's past and every drawing use this table. Pure.
 */
interface StateKind {
  /** Whether its events are sent. Otherwise, they are skipped as `endpoint_{state}`. */
  sends: boolean;
  /** The state that is assumed to precede it, if nothing older is known. */
  after: string;
  /** The glyph in the flag of a change to the state, and the colour of both. */
  glyph: string;
  tone: "good" | "bad" | "none";
}

/** Every state of an endpoint: schemas, row rules, fixtures, drawings and words follow from here. A change to one has its name. */
export const STATES = {
  enabled: { sends: true, after: "disabled", glyph: "▶", tone: "good" },
  disabled: { sends: false, after: "enabled", glyph: "■", tone: "bad" },
  deleted: { sends: false, after: "enabled", glyph: "×", tone: "none" },
} as const satisfies Record<string, StateKind>;

export type EndpointStatus = keyof typeof STATES;
/** The states that an endpoint's row has; a deleted one keeps the state that it had. */
export type RowStatus = Exclude<EndpointStatus, "deleted">;
export const ENDPOINT_STATES = Object.keys(STATES) as EndpointStatus[];
export const ENDPOINT_STATUSES = ENDPOINT_STATES.filter((state) => state !== "deleted");

/** An action of a person or of the policy on an endpoint. */
export type EndpointChange = "created" | "updated" | EndpointStatus;
export const ENDPOINT_CHANGES: readonly EndpointChange[] = ["created", "updated", ...ENDPOINT_STATES];

/** Why the events of an endpoint, and the retries that were planned for it, are not sent. */
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
  /** Failures in a row. */
  consecutiveFailures: number;
  /** The end of the first failure, in virtual milliseconds; null without one. */
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

/** Any success ends the failures in a row. */
export const afterSuccess = (state: EndpointState): EndpointState => ({ ...state, ...HEALTHY });

/** @param at the end of the attempt, in virtual milliseconds */
export const afterFailure = (state: EndpointState, at: number): EndpointState => ({
  ...state,
  consecutiveFailures: state.consecutiveFailures + 1,
  firstFailedAt: state.firstFailedAt ?? at,
});

export function afterChange(state: EndpointState, change: EndpointChange): EndpointState {
  if (change === "updated") return state;
  // It starts again without failures, and skipped attempts stay skipped.
  return change === "created" || change === "enabled" ? NEW_ENDPOINT : { ...state, status: change };
}
