import type { PayResult } from "../../client/http.ts";
import type { Sandbox } from "../../library/index.ts";
import type { EventType } from "../../payments/webhooks/event-types.ts";
import { platformRequests } from "../../payments/webhooks/platform.ts";
import type { PayRequest } from "../../sandbox/payments.ts";
import type { Delivery } from "./craft.ts";

/** One attempt, as the platform made it. */
export interface PlatformDelivery extends Delivery {
  /** `data.id` of the event. */
  id: string;
  /** Which attempt of its event it was, 1 to 4. */
  attempt: number;
}

/** What a payer fills in. */
export type Customer = Omit<PayRequest, "payment_link_id" | "session_id">;

const AMOUNT = "2500000";
const PAGE = 100;

interface DeliveryPage {
  data: {
    event: string;
    event_id: string;
    webhook_id: string;
    attempt: number;
    trigger: string;
    request_headers: Record<string, string>;
    request_body: string;
  }[];
  has_more: boolean;
}

/**
 * A shop in a sandbox, with one payment link: it causes events, and knows what was sent about them.
 * @param headerPrefix of the platform's header names
 */
export async function openShop(sandbox: Sandbox, webhookId: string, headerPrefix: string) {
  const { read } = platformRequests(headerPrefix);
  const { platform, payments, clock } = sandbox;
  const link = await platform.call<{ id: string }>("POST", "/payment-links", {
    name: "Check",
    amount: AMOUNT,
  });

  const open = (reference: string | undefined) =>
    platform.call<{ id: string }>("POST", "/checkout-sessions", {
      payment_link_id: link.id,
      ...(reference === undefined
        ? {}
        : { client_reference_id: reference, metadata: { order_id: reference } }),
    });

  const pay = async (id: string, customer: Customer, outcome: "completed" | "failed") =>
    (await payments.pay(id, { ...customer, outcome })).transaction.id;
  /** What makes an event happen to a session: each returns the event's `data.id`. */
  const causes: Record<EventType, (session: string, customer: Customer) => Promise<string>> = {
    "payment.completed": (id, customer) => pay(id, customer, "completed"),
    "payment.failed": (id, customer) => pay(id, customer, "failed"),
    "checkout.completed": (id, customer) => pay(id, customer, "completed").then(() => id),
    "checkout.expired": (id) => payments.expire(id).then(() => id),
  };

  return {
    /** Opens a checkout session. */
    open,

    /** Pays a session. */
    pay: (session: string, customer: Customer): Promise<PayResult> => payments.pay(session, customer),

    /**
     * Makes an event happen.
     * @returns its `data.id`
     */
    async cause(type: EventType, reference: string | undefined, customer: Customer): Promise<string> {
      const { id } = await open(reference);
      return causes[type](id, customer);
    },

    /** Every attempt so far, oldest first. */
    async deliveries(): Promise<PlatformDelivery[]> {
      await clock.advance(0);
      const found: PlatformDelivery[] = [];
      for (let page = 1; ; page += 1) {
        const { data, has_more: more } = await platform.call<DeliveryPage>(
          "GET",
          `/webhooks/${webhookId}/deliveries?order=asc&limit=${PAGE}&page=${page}`,
        );
        found.push(
          ...data.map((it) => {
            const { id } = (JSON.parse(it.request_body) as { data: { id: string } }).data;
            const { delivery, time } = read(it.request_headers);
            return {
              ...{ id, attempt: it.attempt, type: it.event, body: it.request_body },
              ...{ eventId: it.event_id, endpointId: it.webhook_id, deliveryId: delivery! },
              ...{ at: Date.parse(time!), test: it.trigger === "test", subject: `${it.event} of ${id}` },
            };
          }),
        );
        if (!more) return found;
      }
    },
  };
}
