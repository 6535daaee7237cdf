import type { Static } from "typebox";
import type * as control from "../src/control/schemas.ts";
import type * as account from "../src/payments/schemas/account.ts";
import type * as sessions from "../src/payments/schemas/checkout-sessions.ts";
import type * as links from "../src/payments/schemas/payment-links.ts";
import type * as transactions from "../src/payments/schemas/transactions.ts";
import type * as webhooks from "../src/payments/schemas/webhooks.ts";

/** What the server says and takes, as its own schemas have it. */

export type {
  InboxSummary,
  PaymentStory,
  Timeline,
  TimelineAttempt,
  WebhookWithSecret as Webhook,
} from "../src/control/webhook-schemas.ts";
export type { ClockMessage } from "../src/world/clock-message.ts";
export type { JournalEntry } from "../src/world/journal.ts";

export type Status = Static<typeof control.StatusBody>;
export type Advance = Static<typeof control.Advance>;
export type AdvanceResult = Static<typeof control.AdvanceResult>;
export type AdvancePreview = Static<typeof control.AdvancePreview>;
export type DueTimer = AdvancePreview["would_fire"][number];
export type SubscriberFault = Static<typeof control.SubscriberFaultBody>;
export type FaultKind = NonNullable<SubscriberFault["kind"]>;
export type FaultState = Omit<Static<typeof control.FaultState>, "spec"> & { spec: SubscriberFault | null };
export type Behaviour = Static<typeof control.Behaviour>;
export type InboxMessage = Static<typeof control.InboxMessage>;
export type Mail = Static<typeof control.Mail>;
export type Call = Static<typeof control.RequestSummary>;
export type CallDetail = Static<typeof control.RequestDetail>;
export type Pay = Static<typeof control.Pay>;
export type FailureReason = NonNullable<Pay["failure_reason"]>;
export type Delivery = Static<typeof webhooks.WebhookDelivery>;
export type PaymentLink = Static<typeof links.PaymentLink>;
export type PaymentLinkInput = Static<typeof links.PaymentLinkCreate>;
export type CheckoutSession = Static<typeof sessions.CheckoutSession>;
export type Transaction = Static<typeof transactions.Transaction>;
export type AuditEvent = Static<typeof account.AuditEvent>;

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  total: number;
}

/** What a list is asked for. */
export type ListQuery = Record<string, string | number | boolean | undefined>;
