import { createSandboxWithoutPast } from "../../library/library.ts";
import { EVENT_TYPES, type EventType } from "../../payments/webhooks/event-types.ts";
import { idLike } from "../../webhooks/example.ts";
import { HOUR, iso, MINUTE, SECOND } from "../../world/duration.ts";
import type { Delivery } from "./craft.ts";
import { type Customer, openShop, type PlatformDelivery } from "./shop.ts";
import { TEXT_NAMES, TEXTS, type TextName } from "./texts.ts";

/** How many events are sent at once so that a server opens its connections, and then how many twice at once. */
export const WARM_UP = 5;
export const AT_ONCE = 5;

/** Everything that is sent is made from this. What a sender cannot send is null. */
export interface Material {
  /** An event of the chosen type, another one for each hazard that takes one; several of `duplicate-at-once` have a number. */
  fresh: (name: string) => Delivery;
  /** An event with a text that a person wrote. */
  written: (name: TextName) => Delivery;
  /** Two events whose ids are numbers that differ beyond 2^53. */
  largeIds: Delivery[] | null;
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
  /** The hazards that take an event of their own, as none is to meet what another left at the receiver. */
  ownEvents: readonly string[];
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
/** The reference and the customer of an order with such a text. */
const writtenBy = (name: TextName): [string, Customer] =>
  name === "unicode"
    ? [
        "order-n°-7 ☕",
        {
          customer_email: "zoe@example.com",
          customer_name: TEXTS.unicode,
          form_data: { shipping_address: { line1: "Łąkowa 7", city: "Zürich", state: "جدة", zip: "8001" } },
        },
      ]
    : [`order-${name.replace(" ", "-")}`, { ...CUSTOMER, customer_name: TEXTS[name] }];

/**
 * Makes real events in a sandbox of its own, whose webhook points to a built-in inbox, and takes what was sent. The
 * same options give the same bytes. Nothing leaves the process.
 */
export async function makeMaterial(options: MaterialOptions): Promise<Material> {
  const { seed, at, event, ownEvents, headerPrefix, deliveryId } = options;
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
    // A run's own: a server that stores orders takes those of its events for new ones.
    const run = idLike("0a0a0a", `${seed} run`);
    const own = (reference: string) => `${reference}-${run}`;
    const cause = (type: EventType, reference: string, customer = CUSTOMER) =>
      shop.cause(type, own(reference), customer);

    await inbox.behave({ status: 500 });
    const old = await cause(event, "order-old");
    await sandbox.clock.advance(RETRIES);
    const retried = await cause(event, "order-retried");
    await sandbox.clock.advance(MINUTE);
    await inbox.behave({});

    const fresh = new Map<string, string>();
    for (const name of [...ownEvents, "second-event"]) fresh.set(name, await cause(event, `order-${name}`));
    for (let number = 1; number <= WARM_UP + AT_ONCE; number += 1)
      fresh.set(`duplicate-at-once, ${number}`, await cause(event, `order-at-once-${number}`));
    const written = new Map<TextName, string>();
    for (const name of TEXT_NAMES) written.set(name, await cause(event, ...writtenBy(name)));
    const bare = await shop.cause(event, undefined, {});
    const others = new Map<EventType, string>();
    for (const type of EVENT_TYPES) if (type !== event) others.set(type, await cause(type, `order-${type}`));
    const large = await payLarge(shop, own("order-large"));
    const { id: session } = await shop.open(own("order-story"));
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
      written: (name) => find(event, written.get(name)!),
      largeIds: null,
      bare: find(event, bare),
      large: find("payment.completed", large),
      test: sent.find(({ test }) => test)!,
      others: [...others].flatMap(([type, id]) => {
        const order = JSON.stringify(own(`order-${type}`));
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
async function payLarge(shop: Awaited<ReturnType<typeof openShop>>, reference: string): Promise<string> {
  const pay = async (note: string) => {
    const { id } = await shop.open(reference);
    return shop.pay(id, { ...CUSTOMER, form_data: { ...CUSTOMER.form_data, note } });
  };
  const { deliveries } = await pay("");
  const size = deliveries.find(({ event }) => event === "payment.completed")!.request_body.length;
  return (await pay("x".repeat(LARGE_BODY_BYTES - size))).transaction.id;
}
