import type { Static } from "typebox";
import type {
  AdvancePreview as AdvancePreviewSchema,
  AdvanceResult as AdvanceResultSchema,
  Advance as AdvanceSchema,
  Behaviour as BehaviourSchema,
  FaultState as FaultStateSchema,
  InboxMessage as InboxMessageSchema,
  Mail as MailSchema,
  Pay as PaySchema,
  RequestDetail as RequestDetailSchema,
  RequestSummary as RequestSummarySchema,
  StatusBody,
  SubscriberFaultBody,
} from "../src/control/schemas.ts";
import type { AuditEvent as AuditEventSchema } from "../src/payments/schemas/account.ts";
import type { CheckoutSession as CheckoutSessionSchema } from "../src/payments/schemas/checkout-sessions.ts";
import type {
  PaymentLinkCreate as PaymentLinkCreateSchema,
  PaymentLink as PaymentLinkSchema,
} from "../src/payments/schemas/payment-links.ts";
import type { Transaction as TransactionSchema } from "../src/payments/schemas/transactions.ts";
import type { WebhookDelivery as WebhookDeliverySchema } from "../src/payments/schemas/webhooks.ts";

/** What the server says and takes, as its own schemas have it. */

export type { ClockMessage } from "../src/control/live-clock.ts";
export type {
  InboxSummary,
  PaymentStory,
  Timeline,
  TimelineAttempt,
  WebhookWithSecret as Webhook,
} from "../src/control/webhook-schemas.ts";
export type { JournalEntry } from "../src/world/journal.ts";

export type Status = Static<typeof StatusBody>;
export type Advance = Static<typeof AdvanceSchema>;
export type AdvanceResult = Static<typeof AdvanceResultSchema>;
export type AdvancePreview = Static<typeof AdvancePreviewSchema>;
export type DueTimer = AdvancePreview["would_fire"][number];
export type SubscriberFault = Static<typeof SubscriberFaultBody>;
export type FaultKind = NonNullable<SubscriberFault["kind"]>;
export type FaultState = Omit<Static<typeof FaultStateSchema>, "spec"> & { spec: SubscriberFault | null };
export type Behaviour = Static<typeof BehaviourSchema>;
export type InboxMessage = Static<typeof InboxMessageSchema>;
export type Mail = Static<typeof MailSchema>;
export type Call = Static<typeof RequestSummarySchema>;
export type CallDetail = Static<typeof RequestDetailSchema>;
export type Pay = Static<typeof PaySchema>;
export type FailureReason = NonNullable<Pay["failure_reason"]>;
export type Delivery = Static<typeof WebhookDeliverySchema>;
export type PaymentLink = Static<typeof PaymentLinkSchema>;
export type PaymentLinkInput = Static<typeof PaymentLinkCreateSchema>;
export type CheckoutSession = Static<typeof CheckoutSessionSchema>;
export type Transaction = Static<typeof TransactionSchema>;
export type AuditEvent = Static<typeof AuditEventSchema>;

/** One page of a list. */
export interface Page<Item> {
  data: Item[];
  total: number;
}

/** What a list is asked for. */
export type ListQuery = Record<string, string | number | boolean | undefined>;
