import { iso, isoOrNull } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import { presenter } from "../present.ts";
import type { SessionRow, TransactionRow } from "../rows.ts";
import { CheckoutSession } from "../schemas/checkout-sessions.ts";
import type { Metadata } from "../schemas/common.ts";
import type { EventType } from "./event-types.ts";

const showSession = presenter<typeof CheckoutSession.properties, SessionRow & { url: string | null }>(
  CheckoutSession,
);

/** The checkout session in the API and in the checkout.* events. */
export const sessionResource = (row: SessionRow, url: string | null) => showSession({ ...row, url });

/** The common fields of the payments' events. */
function paymentData(transaction: TransactionRow) {
  return {
    id: transaction.id,
    payment_link_id: transaction.payment_link_id,
    amount: transaction.amount,
    token_address: transaction.token_address,
    chain_id: transaction.chain_id,
    sender_address: transaction.sender_address,
    recipient_address: transaction.recipient_address,
    tx_hash: transaction.tx_hash,
    // The payment is settled by then.
    status: transaction.status as "completed" | "failed",
    form_data: JSON.parse(transaction.form_data) as Record<string, unknown>,
    discount_code: transaction.discount_code,
    created_at: iso(transaction.created_at),
    completed_at: isoOrNull(transaction.completed_at),
  };
}

const sessionBlock = (session: SessionRow | undefined) => ({
  clientReferenceId: session?.client_reference_id ?? null,
  metadata: session ? (JSON.parse(session.metadata) as Metadata) : {},
  customerEmail: session?.customer_email ?? null,
  customerName: session?.customer_name ?? null,
});

/** The session, whose page is closed by then. */
const checkoutData = (session: SessionRow) => sessionResource(session, null);

/** Makes the `data` of each event, in the form of the library's types. */
export const EVENT_DATA = {
  "payment.completed": (transaction: TransactionRow, session: SessionRow | undefined) => ({
    ...paymentData(transaction),
    checkoutSession: sessionBlock(session),
  }),
  "payment.failed": (transaction: TransactionRow, session: SessionRow | undefined) => ({
    ...paymentData(transaction),
    failure_reason: transaction.failure_reason!,
    checkoutSession: sessionBlock(session),
  }),
  "checkout.completed": checkoutData,
  "checkout.expired": checkoutData,
} satisfies { [Type in EventType]: (...rows: never[]) => object };

/** The body POSTed to a subscriber. The same event and endpoint give the same bytes, at every attempt. */
export function deliveryBody(event: {
  type: string;
  webhookId: string;
  /** Virtual milliseconds at which it happened. */
  at: number;
  /** The event's data as JSON text. */
  data: string;
}): string {
  return `{"event":"${event.type}","webhook_id":"${event.webhookId}","timestamp":"${iso(event.at)}","data":${event.data}}`;
}

/** `data` of a test delivery: a payment.completed like a real one, with values that are obviously made up. */
export function testEventData({ ids, clock }: World) {
  const now = iso(clock.now());
  return {
    id: ids.next("txn_"),
    payment_link_id: ids.next("pl_"),
    amount: "2500000",
    token_address: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    chain_id: 8453,
    sender_address: ids.hex("test_address", 20),
    recipient_address: ids.hex("test_address", 20),
    tx_hash: ids.hex("tx_hash", 32),
    status: "completed",
    form_data: {
      email: "test@example.com",
      shipping_address: { line1: "1 Test Street", city: "Testville", state: "CA", zip: "94000" },
    },
    discount_code: null,
    created_at: now,
    completed_at: now,
    checkoutSession: {
      clientReferenceId: "test_order_1",
      metadata: { test: "true" },
      customerEmail: "test@example.com",
      customerName: "Test Customer",
    },
  };
}
