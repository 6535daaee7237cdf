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
