import { ENDPOINT_STATUSES } from "../timeline/endpoint-state.ts";
import { ATTEMPT_TIMER } from "./plans.ts";
import { TIMEOUT_TIMER } from "./results.ts";
import { WEBHOOK_ROW_RULES } from "./row-rules.ts";
import { RESUME_TIMER } from "./sending.ts";
import { WEBHOOK_TABLES } from "./tables.ts";

/** The engine's part of every world, whatever its areas: tables, timers, row rules and journal entries. */
export const WEBHOOKS = {
  tables: WEBHOOK_TABLES,
  timerKinds: [ATTEMPT_TIMER, TIMEOUT_TIMER, RESUME_TIMER],
  rowRules: WEBHOOK_ROW_RULES,
  entries: [
    ...(["webhook.created", "webhook.updated", "webhook.deleted"] as const),
    ...ENDPOINT_STATUSES.map((status) => `webhook.${status}` as const),
    "delivery.started",
    "delivery.succeeded",
    "delivery.failed",
    "delivery.unanswered",
    "delivery.exhausted",
    "delivery.skipped",
    "delivery.resumed",
    "delivery.resent",
    "retry.skipped",
    "retry.cancelled",
    "inbox.received",
    "inbox.behaviour",
  ],
} as const;

export type WebhookEntry = (typeof WEBHOOKS.entries)[number];
