import { createSandboxWithoutPast } from "../library/library.ts";
import { EVENT_TYPES, type EventType } from "../payments/webhooks/event-types.ts";
import { HOUR, iso, MINUTE, SECOND } from "../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { type Customer, openShop, type PlatformDelivery } from "./shop.ts";

/** Hazards that take an event of their own, so that none meets what another left at the receiver. */
const FRESH = [
  "valid-event",
  "wrong-signature",
  "missing-signature",
  "truncated-signature",
  "malformed-signature",
  "changed-body",
  "old-secret",
  "get-request",
  "unknown-event",
  "extra-fields",
  "other-formatting",
  "duplicate",
  "duplicate-at-once",
  "not-an-event",
] as const;
/** Hazards that the platform cannot cause. */
type OfSenders = "stale-timestamp" | `future-timestamp${"" | ", far"}` | `two-signatures${"" | ", reversed"}`;

/** Everything that is sent is made from this. What a sender cannot send is null. */
export interface Material {
  /** An event of the chosen type, another one for each hazard that takes one. */
  fresh: (name: (typeof FRESH)[number] | OfSenders) => Delivery;
  /** A customer whose name and address go beyond ASCII. */
  unicode: Delivery;
  /** An event of a type that nothing knows, and one with more fields than the sender describes. */
  unknown: Delivery;
  extended: Delivery;
  /** A checkout without reference, metadata and customer. */
  bare: Delivery | null;
  /** A body of `LARGE_BODY_BYTES`. */
  large: Delivery | null;
  /** A test delivery. */
  test: Delivery | null;
  /** One of each other event type; before a checkout that completes, its payment. */
  others: Delivery[];
  /** The first two attempts of one event. */
  retried: { first: Delivery; again: Delivery } | null;
  /** The last attempt of an event, which is as old as its retries let it become. */
  old: Delivery | null;
  /** Events about one thing, in order. Of the platform: a payment fails, another completes, and so does the session. */
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

const UNKNOWN_EVENT = "payment.under_review";

/** A delivery's body. */
interface EventBody {
  event: string;
  data: Record<string, unknown>;
}

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
  const sandbox = await createSandboxWithoutPast({
    seed,
    startAt: iso(at - LEAD),
    payments: { rateLimit: "off" },
    webhooks: { headerPrefix, deliveryId, disableAfter: { consecutive: 1_000 } },
  });
  try {
    const inbox = sandbox.inbox("check");
    const webhook = await sandbox.webhooks.create(inbox.url);
    const shop = await openShop(sandbox, webhook.id, headerPrefix);
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
    const find = (type: string, id: string, attempt = 1): PlatformDelivery =>
      sent.find((it) => it.type === type && it.id === id && it.attempt === attempt)!;
    const rewritten = (name: string, change: (event: EventBody) => EventBody): PlatformDelivery => {
      const delivery = find(event, fresh.get(name)!);
      return { ...delivery, body: JSON.stringify(change(JSON.parse(delivery.body) as EventBody)) };
    };
    return {
      fresh: (name) => find(event, fresh.get(name)!),
      unknown: {
        ...rewritten("unknown-event", (it) => ({ ...it, event: UNKNOWN_EVENT })),
        type: UNKNOWN_EVENT,
      },
      extended: rewritten("extra-fields", (it) => ({
        ...it,
        api_version: "2",
        data: { ...it.data, risk: { score: 0.02, flags: [] }, settled_at: null },
      })),
      unicode: find(event, unicode),
      bare: find(event, bare),
      large: find("payment.completed", large),
      test: sent.find(({ test }) => test)!,
      others: [...others].flatMap(([type, id]) => {
        const order = `"order-${type}"`;
        const payment = sent.find((it) => it.type === "payment.completed" && it.body.includes(order));
        return [...(type === "checkout.completed" && payment ? [payment] : []), find(type, id)];
      }),
      retried: { first: find(event, retried), again: find(event, retried, 2) },
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
