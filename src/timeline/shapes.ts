import type { JournalEntry } from "../world/journal.ts";

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
