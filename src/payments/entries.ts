import { AUDIT_EVENT_TYPES } from "./audit.ts";

/** The journal entries that the platform writes. */
export const PAYMENTS_ENTRIES: readonly string[] = [
  "payment.pending",
  "payment.confirming",
  "payment.completed",
  "payment.failed",
  "checkout.created",
  "checkout.updated",
  "checkout.completed",
  "checkout.expired",
  "delivery.started",
  "delivery.succeeded",
  "delivery.failed",
  "delivery.unanswered",
  "delivery.exhausted",
  "delivery.skipped",
  "delivery.resumed",
  "retry.skipped",
  "retry.cancelled",
  "webhook.disabled",
  "webhook.enabled",
  "mail.sent",
  "inbox.received",
  "inbox.behaviour",
  ...AUDIT_EVENT_TYPES,
];
