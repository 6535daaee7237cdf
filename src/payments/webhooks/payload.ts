import { iso } from "../../world/duration.ts";
import type { World } from "../../world/world.ts";
import { presenter } from "../present.ts";
import type { SessionRow } from "../rows.ts";
import { CheckoutSession } from "../schemas/checkout-sessions.ts";

const showSession = presenter<typeof CheckoutSession.properties, SessionRow & { url: string | null }>(
  CheckoutSession,
);

/** The checkout session as it appears in the API and in checkout.* events. */
export const sessionResource = (row: SessionRow, url: string | null) => showSession({ ...row, url });

/** The body of a delivery. For the same event and endpoint, the bytes are identical in every attempt. */
export function deliveryBody(event: {
  type: string;
  webhookId: string;
  /** When the event happened, in virtual milliseconds. */
  at: number;
  /** The event's data as JSON text. */
  data: string;
}): string {
  return `{"event":"${event.type}","webhook_id":"${event.webhookId}","timestamp":"${iso(event.at)}","data":${event.data}}`;
}

/** The `data` of a test delivery. It has the shape of a real payment.completed event, with obviously fake values. */
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
