/**
 * The states of a webhook endpoint: the effect of each on its events, and the changes between them. The engine, the seed, the
 * page's past and every drawing use this table. Pure.
 */
/** The states of an endpoint's row; a deleted one keeps its last state. */
export const ENDPOINT_STATUSES = ["enabled", "disabled"] as const;
export const ENDPOINT_STATES = [...ENDPOINT_STATUSES, "deleted"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATES)[number];

/** Changes of an endpoint by a person or the policy. */
export const ENDPOINT_CHANGES = ["created", "updated", "disabled", "enabled", "deleted"] as const;
export type EndpointChange = (typeof ENDPOINT_CHANGES)[number];

/** Why the events of an endpoint, and its planned retries, are not sent. */
export const SKIP_REASONS = ["endpoint_disabled", "endpoint_deleted"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Who or what disabled an endpoint: the policy, or a person. */
export const DISABLED_REASONS = ["consecutive_failures", "failing_for", "gone", "dashboard", "api"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface EndpointState {
  status: EndpointStatus;
  /** Failures in a row. */
  consecutiveFailures: number;
  /** The end of the first failure, virtual milliseconds; null without one. */
  firstFailedAt: number | null;
}

/** Why an endpoint in a state gets nothing; null if its events are sent. */
export const SKIPS: Readonly<Record<EndpointStatus, SkipReason | null>> = {
  enabled: null,
  disabled: "endpoint_disabled",
  deleted: "endpoint_deleted",
};

const HEALTHY = { consecutiveFailures: 0, firstFailedAt: null } as const;

export const NEW_ENDPOINT: EndpointState = { status: "enabled", ...HEALTHY };

/** The state of an endpoint's row: a deleted one keeps its last status. */
export const stateOf = (row: {
  status: (typeof ENDPOINT_STATUSES)[number];
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

/** @param at the end of the attempt, virtual milliseconds */
export const afterFailure = (state: EndpointState, at: number): EndpointState => ({
  ...state,
  consecutiveFailures: state.consecutiveFailures + 1,
  firstFailedAt: state.firstFailedAt ?? at,
});

const AFTER: Readonly<Record<EndpointChange, (state: EndpointState) => EndpointState>> = {
  created: () => NEW_ENDPOINT,
  updated: (state) => state,
  disabled: (state) => ({ ...state, status: "disabled" }),
  // Enabling sets the failures to 0, and skipped retries stay skipped.
  enabled: () => NEW_ENDPOINT,
  deleted: (state) => ({ ...state, status: "deleted" }),
};

export const afterChange = (state: EndpointState, change: EndpointChange): EndpointState =>
  AFTER[change](state);
