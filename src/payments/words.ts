/** Allowed values for the payments area's columns, fields and options, and the kinds of its timers. */

export const SESSION_EXPIRY = "payments.session_expiry";
export const CONFIRMATION = "payments.confirmation";

export const PERMISSIONS = ["read", "write", "admin"] as const;
export type Permission = (typeof PERMISSIONS)[number];

export const SESSION_STATUSES = ["active", "completed", "expired"] as const;
export type SessionStatus = (typeof SESSION_STATUSES)[number];

const UNSETTLED_STATUSES = ["pending", "confirming"] as const;
export const SETTLED_STATUSES = ["completed", "failed"] as const;
export type SettledStatus = (typeof SETTLED_STATUSES)[number];
export const TRANSACTION_STATUSES = [...UNSETTLED_STATUSES, ...SETTLED_STATUSES] as const;
export type TransactionStatus = (typeof TRANSACTION_STATUSES)[number];
export const isInProgress = (status: TransactionStatus): boolean =>
  (UNSETTLED_STATUSES as readonly TransactionStatus[]).includes(status);
/** The SQL condition for transactions in progress. */
export const IN_PROGRESS = `status in ('${UNSETTLED_STATUSES.join("', '")}')`;

export const API_KEY_STATUSES = ["active", "expired", "revoked"] as const;
export type ApiKeyStatus = (typeof API_KEY_STATUSES)[number];

/** Why a discount code gives no discount. */
export const DISCOUNT_REFUSALS = [
  "not_found",
  "inactive",
  "expired",
  "used_up",
  "other_payment_link",
  "below_minimum",
] as const;
export type DiscountRefusal = (typeof DISCOUNT_REFUSALS)[number];

export const DISCOUNT_TYPES = ["percentage", "fixed"] as const;
export type DiscountType = (typeof DISCOUNT_TYPES)[number];

/** The pattern for short codes in files and snapshots. Codes created by the API have six letters and digits. */
export const ANY_SHORT_CODE = "^[0-9A-Za-z_-]{1,32}$";

export const FAILURE_REASONS = ["reverted", "timed_out", "insufficient_funds", "rejected"] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** The periods of the analytics, in UTC days including today; undefined means all time. */
export const PERIODS = { "7d": 7, "30d": 30, "90d": 90, all: undefined } as const;
export type Period = keyof typeof PERIODS;

const AUDITED = ["payment_link", "product", "webhook", "discount_code", "widget"] as const;

export const AUDIT_EVENT_TYPES = [
  ...AUDITED.flatMap((kind) => [`${kind}.created`, `${kind}.updated`, `${kind}.deleted`] as const),
  "notification.updated",
  "api_key.created",
  "api_key.revoked",
] as const;
export type AuditEventType = (typeof AUDIT_EVENT_TYPES)[number];
