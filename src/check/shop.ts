import type { PayResult } from "../client/http.ts";
import type { Sandbox } from "../library/index.ts";
import type { EventType } from "../payments/webhooks/event-types.ts";
import { OWN_HEADERS } from "../runtime/own-requests.ts";
import type { PayRequest } from "../sandbox/payments.ts";

/** One attempt, as the platform made it. */
export interface Delivery {
  event: string;
  /** `data.id` of the event. */
  id: string;
  /** Which attempt of its event it was, 1 to 4. */
  attempt: number;
  trigger: string;
  /** Named with the platform's prefix. The signature is the platform's own, and is replaced. */
  headers: Record<string, string>;
  body: string;
}

/** What a payer fills in. */
export type Customer = Omit<PayRequest, "payment_link_id" | "session_id">;

const AMOUNT = "2500000";
const PAGE = 100;

interface DeliveryPage {
  data: {
    event: string;
    attempt: number;
    trigger: string;
    request_headers: Record<string, string>;
    request_body: string;
  }[];
  has_more: boolean;
}

/** A shop in a sandbox, with one payment link: it causes events, and knows what was sent about them. */
export async function openShop(sandbox: Sandbox, webhookId: string) {
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
    async deliveries(): Promise<Delivery[]> {
      await clock.advance(0);
      const found: Delivery[] = [];
      for (let page = 1; ; page += 1) {
        const { data, has_more: more } = await platform.call<DeliveryPage>(
          "GET",
          `/webhooks/${webhookId}/deliveries?order=asc&limit=${PAGE}&page=${page}`,
        );
        found.push(
          ...data.map((it) => ({
            event: it.event,
            id: (JSON.parse(it.request_body) as { data: { id: string } }).data.id,
            attempt: it.attempt,
            trigger: it.trigger,
            headers: { ...it.request_headers, ...OWN_HEADERS },
            body: it.request_body,
          })),
        );
        if (!more) return found;
      }
    },
  };
}
