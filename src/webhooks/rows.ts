import type { DisabledReason, RowStatus, SkipReason } from "../timeline/endpoint-state.ts";
import type { DeliveryError, DeliveryStatus, DeliveryTrigger } from "../timeline/shapes.ts";

/** Rows of the engine's tables (see tables.ts). They never leave the engine, which converts them to resources. */

export interface WebhookRow {
  id: string;
  /** The account that owns it: an organization of the platform, or the sender's name. */
  org: string;
  /** The name of its sender; see sender.ts. */
  sender: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: RowStatus;
  consecutive_failures: number;
  /** When the first of its failures in a row ended; null without a failure. */
  first_failed_at: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  last_delivery_at: number | null;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1 for rows of the seeded history, 0 for later ones. */
  seeded: number;
  /** The only address, besides the sandbox itself, that its requests reach; null if only the settings decide. */
  confined_to: string | null;
  /** JSON text: the headers that its requests carry in addition to the sender's; null for none. */
  headers: string | null;
}

/** `active`: more attempts may follow. The other states are final: no automatic attempt follows. */
export const PLAN_STATES = ["active", "delivered", "exhausted", "skipped"] as const;
export type PlanState = (typeof PLAN_STATES)[number];

/** The progress of one event at one endpoint. */
export interface PlanRow {
  event_id: string;
  webhook_id: string;
  state: PlanState;
  /** Why its retries were skipped; stays even if a manual retry succeeds later. */
  reason: SkipReason | null;
  /** How many automatic attempts have a recorded result. */
  attempts: number;
  /** When its next attempt is due; in the past while that attempt is in progress. */
  next_attempt_at: number | null;
  created_at: number;
  /** When its state last changed; if its retries were skipped, when that happened. */
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
  /** How many failures in a row the endpoint had after it; null while it is pending, and for a test. */
  consecutive_failures: number | null;
  next_attempt_at: number | null;
  /** Null until all consequences of its result are recorded, too. */
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
  /** The delivery that a manual retry or a resend repeats. */
  retry_of: string | null;
  url: string;
  request_headers: string;
  fault: string | null;
  started_at: number;
  created_at: number;
}
