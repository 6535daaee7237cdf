import type { Static } from "typebox";
import type * as clock from "../src/operations/clock.ts";
import type * as faults from "../src/operations/faults.ts";
import type * as inbox from "../src/operations/inboxes.ts";
import type * as outages from "../src/operations/outages.ts";
import type * as payments from "../src/operations/payments.ts";
import type * as records from "../src/operations/records.ts";
import type * as senders from "../src/operations/senders.ts";
import type * as control from "../src/operations/webhooks.ts";
import type * as world from "../src/operations/worlds.ts";
import type * as account from "../src/payments/schemas/account.ts";
import type * as sessions from "../src/payments/schemas/checkout-sessions.ts";
import type * as links from "../src/payments/schemas/payment-links.ts";
import type * as webhooks from "../src/payments/schemas/webhooks.ts";

/** What the server says and takes, as its own schemas have it. */

export type { RequestDetail as CallDetail, RequestSummary as Call } from "../src/http/request-log.ts";
export type { Duration } from "../src/library/words.ts";
export type { FollowedPayment } from "../src/operations/payments.ts";
export type { CallsMessage } from "../src/operations/records.ts";
export type { DeliveryDetails, WebhookWithSecret as Webhook } from "../src/operations/webhooks.ts";
export type { Snapshot, World } from "../src/operations/worlds.ts";
export type { Timeline, TimelineAttempt } from "../src/timeline/schemas.ts";
export type { ClockMessage } from "../src/world/clock-message.ts";
export type { JournalEntry, JournalNotice } from "../src/world/journal.ts";

export type Status = Static<typeof world.Status>;
export type NewWorld = Static<typeof world.NewWorld>;
export type Advance = Static<typeof clock.Advance>;
export type AdvanceResult = Static<typeof clock.AdvanceResult>;
export type AdvancePreview = Static<typeof clock.AdvancePreview>;
export type DueTimer = AdvancePreview["would_fire"][number];
export type SubscriberFault = Static<typeof faults.SubscriberFaultBody>;
export type FaultKind = NonNullable<SubscriberFault["kind"]>;
export type FaultStep = NonNullable<SubscriberFault["sequence"]>[number];
export type FaultState = Omit<Static<typeof faults.FaultState>, "spec"> & { spec: SubscriberFault | null };
export type Behaviour = Static<typeof inbox.Behaviour>;
export type InboxMessage = Static<typeof inbox.InboxMessage>;
export type Mail = Static<typeof records.Mail>;
export type Pay = Static<typeof payments.Pay>;
export type Delivery = Static<typeof webhooks.WebhookDelivery>;
export type Sender = Static<typeof senders.SenderView>;
export type SentEvent = Static<typeof senders.SentEvent>;
export type WebhookInput = Static<typeof control.WebhookRegistration>;
export type WebhookChange = Static<typeof control.WebhookChange>;
export type OutageRequest = Static<typeof outages.OutageRequest>;
export type PlayedOutage = Static<typeof outages.PlayedOutage>;
export type Diagnosis = Static<typeof control.Diagnosis>;
export type RetriedFailed = Static<typeof control.RetriedFailed>;
export type PaymentLink = Static<typeof links.PaymentLink>;
export type CheckoutSession = Static<typeof sessions.CheckoutSession>;
export type AuditEvent = Static<typeof account.AuditEvent>;

export type ListQuery = Record<string, string | number | boolean | undefined>;
