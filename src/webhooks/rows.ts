import type { DisabledReason, RowStatus, SkipReason } from "../timeline/endpoint-state.ts";
import type { DeliveryError, DeliveryStatus, DeliveryTrigger } from "../timeline/shapes.ts";

/** Rows of the engine's tables (see tables.ts). They never leave it: resources are made from them. */

export interface WebhookRow {
  id: string;
  /** Its account: an organization of the platform, or the sender's name. */
  org: string;
  /** Who sends to it; see sender.ts. */
  sender: string;
  url: string;
  events: string;
  description: string | null;
  secret: string;
  status: RowStatus;
  consecutive_failures: number;
  /** When the first of its failures in a row ended; null without one. */
  first_failed_at: number | null;
  disabled_at: number | null;
  disabled_reason: DisabledReason | null;
  last_delivery_at: number | null;
  deleted_at: number | null;
  created_at: number;
  updated_at: number;
  /** 1 for what the seeded past has, 0 for what was made since. */
  seeded: number;
  /** The only address that its requests reach besides the sandbox itself; null where the settings alone decide. */
  confined_to: string | null;
  /** JSON text: what its requests carry besides the headers of the sender; null for none. */
  headers: string | null;
}

/** active: more attempts may follow. The others are final: no automatic attempt is made any more. */
export type PlanState = "active" | "delivered" | "exhausted" | "skipped";

/** What becomes of one event at one endpoint. */
export interface PlanRow {
  event_id: string;
  webhook_id: string;
  state: PlanState;
  /** Why its retries were skipped; it stays if a retry by hand succeeds later. */
  reason: SkipReason | null;
  /** Automatic attempts whose result is recorded. */
  attempts: number;
  /** When its timer was set for; in the past while that attempt is in flight. */
  next_attempt_at: number | null;
  created_at: number;
  /** When its state last changed; once its retries were skipped, when that was. */
  updated_at: number;
}

/** One attempt. */
export interface DeliveryRow {
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
  error: DeliveryError | null;
  error_detail: string | null;
  response_code: number | null;
  response_headers: string | null;
  response_body: Buffer | null;
  response_size: number | null;
  request_headers: string;
  duration_ms: number | null;
  fault: string | null;
  /** The endpoint's failures in a row after it; null while it is pending, and for a test. */
  consecutive_failures: number | null;
  next_attempt_at: number | null;
  started_at: number;
  /** Null until what follows from its result is recorded, too. */
  ended_at: number | null;
  created_at: number;
}
