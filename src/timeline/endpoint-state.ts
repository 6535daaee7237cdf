/**
 * The states of a webhook endpoint: what each means for its events, and what leads from one to another. The engine, the
 * seed, the page's past and every drawing ask here. Pure.
 */
/** The states that an endpoint's row has; a deleted one keeps the state that it had. */
export const ENDPOINT_STATUSES = ["enabled", "disabled"] as const;
export const ENDPOINT_STATES = [...ENDPOINT_STATUSES, "deleted"] as const;
export type EndpointStatus = (typeof ENDPOINT_STATES)[number];

/** What a person or the policy does to an endpoint. */
export const ENDPOINT_CHANGES = ["created", "updated", "disabled", "enabled", "deleted"] as const;
export type EndpointChange = (typeof ENDPOINT_CHANGES)[number];

/** Why the events of an endpoint, and the retries that were planned for it, are not sent. */
export const SKIP_REASONS = ["endpoint_disabled", "endpoint_deleted"] as const;
export type SkipReason = (typeof SKIP_REASONS)[number];

/** Who or what disabled an endpoint: the policy, or a person. */
export const DISABLED_REASONS = ["consecutive_failures", "failing_for", "gone", "dashboard", "api"] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export interface EndpointState {
  status: EndpointStatus;
  /** Failures in a row. */
  consecutiveFailures: number;
  /** When the first of them ended, virtual milliseconds; null without one. */
  firstFailedAt: number | null;
}

/** Why an endpoint gets nothing in a state; null where its events are sent. */
export const SKIPS: Readonly<Record<EndpointStatus, SkipReason | null>> = {
  enabled: null,
  disabled: "endpoint_disabled",
  deleted: "endpoint_deleted",
};

const HEALTHY = { consecutiveFailures: 0, firstFailedAt: null } as const;

export const NEW_ENDPOINT: EndpointState = { status: "enabled", ...HEALTHY };

/** The state that the row of an endpoint stands for: a deleted one keeps the status that it had. */
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

/** @param at when the attempt ended, virtual milliseconds */
export const afterFailure = (state: EndpointState, at: number): EndpointState => ({
  ...state,
  consecutiveFailures: state.consecutiveFailures + 1,
  firstFailedAt: state.firstFailedAt ?? at,
});

const AFTER: Readonly<Record<EndpointChange, (state: EndpointState) => EndpointState>> = {
  created: () => NEW_ENDPOINT,
  updated: (state) => state,
  disabled: (state) => ({ ...state, status: "disabled" }),
  // It starts again without failures, and nothing that was skipped comes back.
  enabled: () => NEW_ENDPOINT,
  deleted: (state) => ({ ...state, status: "deleted" }),
};

export const afterChange = (state: EndpointState, change: EndpointChange): EndpointState =>
  AFTER[change](state);
