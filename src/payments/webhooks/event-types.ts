import { iso, isoOrNull } from "../../world/duration.ts";
import type { SessionRow, TransactionRow } from "../rows.ts";
import type { Metadata } from "../schemas/common.ts";
import type { SettledStatus } from "../words.ts";
import type { sessionResource } from "./payload.ts";

/** A customer at a checkout, simulated by `check` to trigger an event. */
interface Customer {
  session: string;
  /** Pays, and returns the transaction's id. */
  pay(outcome: "completed" | "failed"): Promise<string>;
  /** Operations of the platform that need no customer: a subset of `Payments`. */
  platform: {
    organizations: { main(): { id: string } };
    sessions: { expire(org: string, id: string): unknown };
  };
}

/** An event type that subscribers can receive. */
interface Event {
  /** The subject line of the event's e-mail. */
  subject: string;
  /** Builds the event's `data`. `library/webhook-events.ts` declares the type for library users. */
  // biome-ignore lint/suspicious/noExplicitAny: the arguments depend on the event
  data(...about: any[]): object;
  /** Triggers the event, and returns its `data.id`. */
  cause(customer: Customer): string | Promise<string>;
}

/** Every event that subscribers can receive. All lists of events are derived from this object. */
export const EVENTS = {
  "payment.completed": {
    subject: "Payment completed",
    data: (transaction: TransactionRow, session: SessionRow | undefined) => ({
      ...paymentData(transaction),
      checkoutSession: sessionBlock(session),
    }),
    cause: ({ pay }) => pay("completed"),
  },
  "payment.failed": {
    subject: "Payment failed",
    data: (transaction: TransactionRow, session: SessionRow | undefined) => ({
      ...paymentData(transaction),
      failure_reason: transaction.failure_reason!,
      checkoutSession: sessionBlock(session),
    }),
    cause: ({ pay }) => pay("failed"),
  },
  "checkout.completed": {
    subject: "Checkout completed",
    data: (session: EndedSession) => session,
    cause: ({ pay, session }) => pay("completed").then(() => session),
  },
  "checkout.expired": {
    subject: "Checkout expired",
    data: (session: EndedSession) => session,
    cause({ platform, session }) {
      platform.sessions.expire(platform.organizations.main().id, session);
      return session;
    },
  },
} satisfies Record<string, Event>;

export type EventType = keyof typeof EVENTS;
export const EVENT_TYPES = Object.keys(EVENTS) as [EventType, ...EventType[]];

/** A session whose page no longer exists. */
type EndedSession = ReturnType<typeof sessionResource>;

/** The data that all payment events share. */
const paymentData = (transaction: TransactionRow) => ({
  id: transaction.id,
  payment_link_id: transaction.payment_link_id,
  amount: transaction.amount,
  token_address: transaction.token_address,
  chain_id: transaction.chain_id,
  sender_address: transaction.sender_address,
  recipient_address: transaction.recipient_address,
  tx_hash: transaction.tx_hash,
  // A payment is always settled by the time the event is emitted.
  status: transaction.status as SettledStatus,
  form_data: JSON.parse(transaction.form_data) as Record<string, unknown>,
  discount_code: transaction.discount_code,
  created_at: iso(transaction.created_at),
  completed_at: isoOrNull(transaction.completed_at),
});

const sessionBlock = (session: SessionRow | undefined) => ({
  clientReferenceId: session?.client_reference_id ?? null,
  metadata: session ? (JSON.parse(session.metadata) as Metadata) : {},
  customerEmail: session?.customer_email ?? null,
  customerName: session?.customer_name ?? null,
});
