import { createSandbox } from "../library/library.ts";
import { EVENT_TYPES, type EventType } from "../payments/webhooks/event-types.ts";
import { HOUR, iso, MINUTE, SECOND } from "../world/duration.ts";
import { type Customer, type Delivery, openShop } from "./shop.ts";

/** Hazards that take an event of their own, so that none meets what another left at the receiver. */
const FRESH = [
  "valid-event",
  "wrong-signature",
  "missing-signature",
  "truncated-signature",
  "malformed-signature",
  "changed-body",
  "get-request",
  "unknown-event",
  "extra-fields",
  "other-formatting",
  "duplicate",
  "duplicate-at-once",
  "not-an-event",
] as const;
type Fresh = (typeof FRESH)[number];

/** Everything that is sent is made from this. */
export interface Material {
  /** Events of the chosen type, one for each hazard that takes one. */
  fresh: Record<Fresh, Delivery>;
  /** A customer whose name and address go beyond ASCII. */
  unicode: Delivery;
  /** A checkout without reference, metadata and customer. */
  bare: Delivery;
  /** A body of `LARGE_BODY_BYTES`. */
  large: Delivery;
  /** A test delivery. */
  test: Delivery;
  /** One of each other event type; before a checkout that completes, its payment. */
  others: Delivery[];
  /** The first two attempts of one event. */
  retried: Delivery[];
  /** The last attempt of an event, which by then is over an hour old. */
  old: Delivery;
  /** One checkout session, in order: a payment fails, another completes, and so does the session. */
  story: Delivery[];
}

export interface MaterialOptions {
  seed: string;
  /** When the events happen that are sent as new ones, milliseconds since the epoch; at least `EARLIEST`. */
  at: number;
  event: EventType;
  headerPrefix: string;
  /** Whether the delivery id header is new for each attempt of an event. */
  deliveryId: "attempt" | "event";
}

export { EVENT_TYPES, type EventType };

/** The size of a large body: what servers that take a megabyte just take. */
export const LARGE_BODY_BYTES = 1_000_000;
/** How long after the first attempt the last automatic one is due. */
const RETRIES = HOUR + 11 * MINUTE;
/** The virtual clock starts so much before `at`, for the event that is old by then. */
const LEAD = RETRIES + MINUTE;
export const EARLIEST = LEAD;

const CUSTOMER: Customer = {
  customer_email: "ada@example.com",
  customer_name: "Ada Lovelace",
  form_data: {
    shipping_address: { line1: "12 Analytical Row", city: "London", state: "LND", zip: "N1 9GU" },
  },
};
const UNICODE_CUSTOMER: Customer = {
  customer_email: "zoe@example.com",
  customer_name: "Zoë Ångström 周 🧾",
  form_data: { shipping_address: { line1: "Łąkowa 7", city: "Zürich", state: "جدة", zip: "8001" } },
};

/**
 * Makes real events in a sandbox of its own, whose webhook points to a built-in inbox, and takes what was sent. The
 * same options give the same bytes. Nothing leaves the process.
 */
export async function makeMaterial(options: MaterialOptions): Promise<Material> {
  const { seed, at, event, headerPrefix, deliveryId } = options;
  const sandbox = await createSandbox({
    seed,
    startAt: iso(at - LEAD),
    payments: { rateLimit: "off" },
    webhooks: { headerPrefix, deliveryId, disableAfter: { consecutive: 1_000 } },
  });
  try {
    // What the seed's own endpoints would get is of no use here.
    for (const { id, status } of await sandbox.webhooks.list())
      if (status === "enabled") await sandbox.webhooks.disable(id);
    const inbox = sandbox.inbox("check");
    const webhook = await sandbox.webhooks.create(inbox.url);
    const shop = await openShop(sandbox, webhook.id);
    const cause = (type: EventType, reference: string | undefined, customer = CUSTOMER) =>
      shop.cause(type, reference, customer);

    await inbox.behave({ status: 500 });
    const old = await cause(event, "order-old");
    await sandbox.clock.advance(RETRIES);
    const retried = await cause(event, "order-retried");
    await sandbox.clock.advance(MINUTE);
    await inbox.behave({});

    const fresh = new Map<string, string>();
    for (const name of FRESH) fresh.set(name, await cause(event, `order-${name}`));
    const unicode = await cause(event, "order-n°-7 ☕", UNICODE_CUSTOMER);
    const bare = await cause(event, undefined, {});
    const others = new Map<EventType, string>();
    for (const type of EVENT_TYPES) if (type !== event) others.set(type, await cause(type, `order-${type}`));
    const large = await payLarge(shop);
    const { id: session } = await shop.open("order-story");
    const failed = await shop.pay(session, { ...CUSTOMER, outcome: "failed" });
    await sandbox.clock.advance(SECOND);
    const paid = await shop.pay(session, CUSTOMER);
    await sandbox.platform.call("POST", `/webhooks/${webhook.id}/test`);

    const sent = await shop.deliveries();
    const find = (type: string, id: string, attempt = 1): Delivery =>
      sent.find((it) => it.event === type && it.id === id && it.attempt === attempt)!;
    return {
      fresh: Object.fromEntries(
        FRESH.map((name) => [name, find(event, fresh.get(name)!)]),
      ) as Material["fresh"],
      unicode: find(event, unicode),
      bare: find(event, bare),
      large: find("payment.completed", large),
      test: sent.find(({ trigger }) => trigger === "test")!,
      others: [...others].flatMap(([type, id]) => {
        const order = `"order-${type}"`;
        const payment = sent.find((it) => it.event === "payment.completed" && it.body.includes(order));
        return [...(type === "checkout.completed" && payment ? [payment] : []), find(type, id)];
      }),
      retried: [find(event, retried), find(event, retried, 2)],
      old: find(event, old, 4),
      story: [
        find("payment.failed", failed.transaction.id),
        find("payment.completed", paid.transaction.id),
        find("checkout.completed", session),
      ],
    };
  } finally {
    await sandbox.close();
  }
}

/** A payment whose event's body has just the large size: a note in its form takes what another like it leaves. */
async function payLarge(shop: Awaited<ReturnType<typeof openShop>>): Promise<string> {
  const pay = async (note: string) => {
    const { id } = await shop.open("order-large");
    return shop.pay(id, { ...CUSTOMER, form_data: { ...CUSTOMER.form_data, note } });
  };
  const { deliveries } = await pay("");
  const size = deliveries.find(({ event }) => event === "payment.completed")!.request_body.length;
  return (await pay("x".repeat(LARGE_BODY_BYTES - size))).transaction.id;
}
