import type { DisabledReason, RowStatus, SkipReason } from "../timeline/endpoint-state.ts";
import type { DeliveryError, DeliveryStatus, DeliveryTrigger } from "../timeline/shapes.ts";

/** Rows of the engine's tables (see tables.ts). They stay inside the engine, which converts them to resources. */

export interface WebhookRow {
  id: string;
  /** The account that owns the endpoint: an organization of the platform, or the sender's name. */
  org: string;
  /** The name of the endpoint's sender; see sender.ts. */
  sender: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: RowStatus;
  consecutive_failures: number;
  /** When the first of the current consecutive failures ended; null if there are none. */
  first_failed_at: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  last_delivery_at: number | null;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1 for rows from the seeded history, else 0. */
  seeded: number;
  /** The only address, besides the sandbox itself, that its requests may reach; null if only the settings decide. */
  confined_to: string | null;
  /** JSON text: headers that its requests carry in addition to the sender's; null if there are none. */
  headers: string | null;
}

/** `active`: more attempts may follow. The other states are final: no more automatic attempts. */
export const PLAN_STATES = ["active", "delivered", "exhausted", "skipped"] as const;
export type PlanState = (typeof PLAN_STATES)[number];

/** The progress of an event at an endpoint. */
export interface PlanRow {
  event_id: string;
  webhook_id: string;
  state: PlanState;
  /** Why the plan's retries were skipped, retained even if a manual retry succeeds later. */
  reason: SkipReason | null;
  /** How many automatic attempts have a recorded result. */
  attempts: number;
  /** When the plan's next attempt is due; in the past while that attempt is in progress. */
  next_attempt_at: number | null;
  created_at: number;
  /** When the plan's state last changed, or its retries were skipped. */
  updated_at: number;
}

/** The columns of an attempt's result; null while it is pending. */
export interface DeliveryResult {
  error: DeliveryError | null;
  error_detail: string | null;
  response_code: number | null;
  response_headers: string | null;
  response_body: Buffer | null;
  response_size: number | null;
  duration_ms: number | null;
  /** The endpoint's consecutive failures after this attempt; null while it is pending, and for tests. */
  consecutive_failures: number | null;
  next_attempt_at: number | null;
  /** Null until all consequences of its result have been recorded as well. */
  ended_at: number | null;
}

/** A delivery attempt. */
export interface DeliveryRow extends DeliveryResult {
  id: string;
  org: string;
  webhook_id: string;
  event_id: string;
  event: string;
  status: DeliveryStatus;
  attempt: number;
  trigger: DeliveryTrigger;
  /** The delivery that a manual retry or resend repeats. */
  retry_of: string | null;
  url: string;
  request_headers: string;
  fault: string | null;
  started_at: number;
  created_at: number;
}
