import { resolveConfig } from "../../config/config.ts";
import { paymentsArea } from "../../payments/area.ts";
import { EVENT_TYPES, EVENTS, type EventType } from "../../payments/webhooks/event-types.ts";
import { platformRequests } from "../../payments/webhooks/platform.ts";
import { AREAS } from "../../sandbox/areas.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { makeSeedBytes } from "../../sandbox/seed.ts";
import { idLike } from "../../webhooks/example.ts";
import { wallNow } from "../../world/clock.ts";
import { HOUR, iso, MINUTE, SECOND } from "../../world/duration.ts";
import { type Checkout, openCheckout, openUnserved, type Payer } from "../stories/shop.ts";
import { FUNCTION_URL, sendToHandler } from "../subject/subscriber.ts";
import type { Delivery } from "./craft.ts";
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

/** Rows of a list at once. */
const PAGE = 100;

const UNKNOWN_EVENT = "payment.under_review";

/** A delivery's body. */
interface EventBody {
  event: string;
  data: Record<string, unknown>;
}

const CUSTOMER: Payer = {
  customer_email: "ada@example.com",
  customer_name: "Ada Lovelace",
  form_data: {
    shipping_address: { line1: "12 Analytical Row", city: "London", state: "LND", zip: "N1 9GU" },
  },
};
/** The reference and the customer of an order with such a text. */
const writtenBy = (name: TextName): [string, Payer] =>
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
  const settings = resolveConfig(
    {
      ...{ seed, startAt: iso(at - LEAD), clock: { mode: "paused" } },
      webhooks: { headerPrefix, deliveryId, disableAfter: { consecutive: 1_000 } },
    },
    wallNow(),
  );
  let status = 200;
  settings.payments.webhooks.courier = () => (request) =>
    sendToHandler(() => new Response(null, { status }), request);
  const { sandbox, close } = await openUnserved(settings, await makeSeedBytes(settings, AREAS, 0));
  const { payments, clock } = sandbox;
  try {
    const webhook = payments.registerWebhook({ url: FUNCTION_URL, events: ["*"] }, {}, "/check");
    const { id: link } = payments.createLink({ name: "Check", amount: "2500000" }, "/check");
    // A run's own: a server that stores orders takes those of its events for new ones.
    const run = idLike("0a0a0a", `${seed} run`);
    const own = (reference: string) => `${reference}-${run}`;
    const open = (reference?: string) => openCheckout(sandbox, { reference, link });
    /** Makes an event happen. @returns its `data.id` */
    const causeAt = async ({ session, pay }: Checkout, type: EventType, customer: Payer = {}) =>
      EVENTS[type].cause({
        session,
        pay: (outcome) => pay({ ...customer, outcome }),
        platform: sandbox.part(paymentsArea),
      });
    const cause = (type: EventType, reference: string, customer = CUSTOMER) =>
      causeAt(open(own(reference)), type, customer);

    status = 500;
    const old = await cause(event, "order-old");
    await clock.advance({ by: RETRIES });
    const retried = await cause(event, "order-retried");
    await clock.advance({ by: MINUTE });
    status = 200;

    const fresh = new Map<string, string>();
    for (const name of [...ownEvents, "second-event"]) fresh.set(name, await cause(event, `order-${name}`));
    for (let number = 1; number <= WARM_UP + AT_ONCE; number += 1)
      fresh.set(`duplicate-at-once, ${number}`, await cause(event, `order-at-once-${number}`));
    const written = new Map<TextName, string>();
    for (const name of TEXT_NAMES) written.set(name, await cause(event, ...writtenBy(name)));
    const bare = await causeAt(open(), event);
    const others = new Map<EventType, string>();
    for (const type of EVENT_TYPES) if (type !== event) others.set(type, await cause(type, `order-${type}`));
    const deliveries = () => deliveriesOf(sandbox, webhook.id, headerPrefix);
    const large = await payLarge(
      () => open(own("order-large")),
      (paid) => deliveries().find(({ id, type }) => type === "payment.completed" && id === paid)!.body,
    );
    const story = open(own("order-story"));
    const failed = await story.pay({ ...CUSTOMER, outcome: "failed" });
    await clock.advance({ by: SECOND });
    const paid = await story.pay(CUSTOMER);
    await payments.testWebhook(webhook.id);

    await clock.advance({ by: 0 });
    const sent = deliveries();
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
        find("payment.failed", failed),
        find("payment.completed", paid),
        find("checkout.completed", story.session),
      ],
    };
  } finally {
    await close();
  }
}

/** One attempt, as the platform made it. */
interface PlatformDelivery extends Delivery {
  /** `data.id` of the event. */
  id: string;
  /** Which attempt of its event it was, 1 to 4. */
  attempt: number;
}

/** Every attempt so far, oldest first. */
function deliveriesOf({ payments }: Sandbox, webhookId: string, headerPrefix: string): PlatformDelivery[] {
  const { read } = platformRequests(headerPrefix);
  const found: PlatformDelivery[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = payments.webhookDeliveries(webhookId, { order: "asc", limit: PAGE, page });
    for (const it of data) {
      const { id } = (JSON.parse(it.request_body) as EventBody & { data: { id: string } }).data;
      const { delivery, time } = read(it.request_headers);
      found.push({
        ...{ id, attempt: it.attempt, type: it.event, body: it.request_body },
        ...{ eventId: it.event_id, endpointId: it.webhook_id, deliveryId: delivery! },
        ...{ at: Date.parse(time!), test: it.trigger === "test", subject: `${it.event} of ${id}` },
      });
    }
    if (data.length < PAGE) return found;
  }
}

/** A payment whose event's body has just the large size: a note in its form takes what another like it leaves. */
async function payLarge(open: () => Checkout, bodyOf: (id: string) => string): Promise<string> {
  const pay = (note: string) => open().pay({ ...CUSTOMER, form_data: { ...CUSTOMER.form_data, note } });
  return pay("x".repeat(LARGE_BODY_BYTES - bodyOf(await pay("")).length));
}
