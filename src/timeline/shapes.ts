import type { JournalEntry } from "../world/journal.ts";
import type { EndpointChange, EndpointStatus, SkipReason } from "./endpoint-state.ts";

export const DELIVERY_ERRORS = [
  "status",
  "timeout",
  "connection_refused",
  "connection_reset",
  "dns",
  "tls",
  "redirect",
  "invalid_response",
  "blocked_by_network_policy",
  "endpoint_deleted",
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

export const DELIVERY_STATUSES = ["pending", "success", "failed"] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export const DELIVERY_TRIGGERS = ["automatic", "manual", "test", "resend"] as const;
export type DeliveryTrigger = (typeof DELIVERY_TRIGGERS)[number];

/** An attempt in a timeline. Times are virtual, ISO 8601. */
export interface TimelineAttempt {
  delivery_id: string;
  event_id: string;
  event: string;
  attempt: number;
  trigger: DeliveryTrigger;
  retry_of: string | null;
  resend_of: string | null;
  status: DeliveryStatus;
  response_code: number | null;
  error: DeliveryError | null;
  error_detail: string | null;
  started_at: string;
  ended_at: string | null;
  duration_ms: number | null;
  consecutive_failures: number | null;
  next_attempt_at: string | null;
}

interface Ahead {
  event_id: string;
  attempt: number;
  due_at: string;
}

/** The past and the future of an endpoint, with the fields that drawings and words need. */
export interface Timeline {
  now: string;
  status: EndpointStatus;
  counter: { consecutive_failures: number; threshold: number | null; counts: "attempts" | "exhausted" };
  attempts: TimelineAttempt[];
  planned: (Ahead & { event: string })[];
  skipped: { event_id: string; event: string; attempt: number; reason: SkipReason | null; at: string }[];
  /** The planned attempts if every one of them fails, and when that disables the endpoint. */
  forecast: { attempts: Ahead[]; disabled_at: string | null };
  changes: { type: EndpointChange | "mail"; reason: string | null; at: string }[];
}

/** A delivery and its consequences, with the fields that an explanation needs. */
export interface DeliveryDetails
  extends Pick<TimelineAttempt, "status" | "response_code" | "error" | "error_detail" | "trigger"> {
  id: string;
  completed_at: string | null;
  /** The simulation that answered in place of a subscriber; null for a real answer. */
  simulated: { by: "fault" | "inbox" | "seed"; name: string; called: boolean } | null;
  endpoint: { status: EndpointStatus; consecutive_failures: number; threshold: number | null };
  /** The event's retry schedule; null for a test. */
  plan: {
    state: "active" | "delivered" | "exhausted" | "skipped";
    reason: string | null;
    attempts: number;
    next_attempt_at: string | null;
  } | null;
  /** Every attempt of the event at the endpoint, oldest first. */
  event_attempts: TimelineAttempt[];
}

export interface ScenarioFailure {
  code: "expectation" | "error" | "time_limit" | "nothing_expected" | "step_not_awaited" | "stopped";
  /** Plain text, of one line or several. */
  message: string;
  /** The way out; empty if the message is enough. */
  hint: string;
  /** The title of the step with the failure; null outside of steps. */
  step: string | null;
  /** A place in the user's files, counted from 1. */
  position: { file: string; line: number; column: number } | null;
}

/** A step of a scenario, with the fields that reports show. */
export interface ScenarioStep {
  title: string;
  result: "passed" | "failed";
  started_at: string;
  ended_at: string;
  ledger: readonly JournalEntry[];
}

export interface ApiCall {
  method: string;
  path: string;
  status: number | null;
  error: { code: string | null; message: string | null } | null;
}
