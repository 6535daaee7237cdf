import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { findStories, STORIES } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { FUNCTION_URL, type Handler, type Subject } from "../../src/trial/subject/subscriber.ts";
import type { Json } from "../support/sandbox.ts";

/** An event as a handler sees it. */
export interface ReadEvent {
  type: string;
  /** The event type and the object's id, which are the same in every copy of the event. */
  key: string;
  deliveryId: string;
  /** The order that the event is about. */
  order: string;
  amount: number;
  /** When the event happened, in virtual milliseconds. */
  at: number;
  sentAt: number;
  isTest: boolean;
}

/** A shop's database. */
export interface Shop {
  orders: Record<string, { status: string; payments: number }>;
  revenue: number;
}

export interface ShopHandler {
  handler: Handler;
  reset(): void;
  state(): Shop;
}

/**
 * How a handler processes an event.
 * @returns the status to respond with; any other value means 200
 */
type Process = (event: ReadEvent, shop: Shop, seen: Set<string>) => unknown;

export async function readEvent(request: Request): Promise<ReadEvent> {
  const { event: type, timestamp, data }: Json = await request.json();
  const header = (name: string) => request.headers.get(`x-platform-${name}`);
  return {
    type,
    key: `${type} ${data.id}`,
    deliveryId: header("delivery-id") ?? "",
    order: data.client_reference_id ?? data.checkoutSession?.clientReferenceId ?? "none",
    amount: Number(data.amount),
    at: Date.parse(timestamp),
    sentAt: Date.parse(header("timestamp") ?? timestamp),
    isTest: header("test") !== null,
  };
}

/** A handler with a database in memory. */
export function makeShop(process: Process): ShopHandler {
  let shop: Shop = { orders: {}, revenue: 0 };
  let seen = new Set<string>();
  return {
    async handler(request) {
      const status = await process(await readEvent(request), shop, seen);
      return new Response(null, { status: typeof status === "number" ? status : 200 });
    },
    reset() {
      shop = { orders: {}, revenue: 0 };
      seen = new Set();
    },
    state: () => structuredClone(shop),
  };
}

const orderOf = (shop: Shop, { order }: ReadEvent) => {
  shop.orders[order] ??= { status: "open", payments: 0 };
  return shop.orders[order];
};

/** Applies an event, whatever came before it. */
export function apply(event: ReadEvent, shop: Shop): void {
  const order = orderOf(shop, event);
  if (event.type === "payment.completed") {
    order.status = "paid";
    order.payments += 1;
    shop.revenue += event.amount;
  } else if (order.status === "open" && event.type === "checkout.expired") order.status = "cancelled";
}

/**
 * A shop that ignores test events and events that it has already seen. It records an event either before handling it or
 * after handling it successfully.
 */
export const shopThat = (work: Process, notes: "before" | "after" = "before"): ShopHandler =>
  makeShop(async (event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return;
    if (notes === "before") seen.add(event.key);
    const status = await work(event, shop, seen);
    if (typeof status !== "number" || status < 300) seen.add(event.key);
    return status;
  });

/** Lets the last write win, whichever event it belongs to. */
export const lastWriteWins = () =>
  shopThat((event, shop) => {
    apply(event, shop);
    if (event.type === "checkout.expired") shop.orders[event.order]!.status = "cancelled";
  });

/**
 * A shop without a bug.
 * @param repeats whether it handles an event again although it has already seen it; by default, it never does
 */
export const correctShop = (repeats: () => boolean = () => false): ShopHandler =>
  makeShop((event, shop, seen) => {
    if (event.isTest || (seen.has(event.key) && !repeats())) return;
    seen.add(event.key);
    apply(event, shop);
  });

/**
 * A shop that handles an event every time it arrives.
 * @param repeats selects the events; by default, all of them
 */
export const repeatingShop = (repeats: (event: ReadEvent) => boolean = () => true): ShopHandler =>
  makeShop((event, shop, seen) => {
    if (event.isTest || (seen.has(event.key) && !repeats(event))) return;
    seen.add(event.key);
    apply(event, shop);
  });

/** The options with which tests explore a shipped story, unless they test those options. */
export const usualOptions = (story: string, deviations: number) => ({
  story: STORIES.find(({ name }) => name === story)!,
  ...{ secret: "whsec_explore", deviations, budget: 60_000, timeout: 30_000, ignore: [], seed: "explore" },
  settings: resolveConfig({}, 0),
});

/** A shop in this process, in the form that a trial requires. */
export const subjectOf = ({ handler, reset, state }: ShopHandler): Subject =>
  remoteSubject({
    ...{ url: FUNCTION_URL, handler, stateUrl: async () => state(), resetBy: reset, timeout: 30_000 },
  });

/** Explores a shop in this process with a story, given by its name. */
export const exploreShop = async (shop: ShopHandler, name: string, deviations = 1, more: object = {}) => {
  const [story] = await findStories(name, resolveConfig({}, 0), ".");
  const options = { ...usualOptions("checkout", deviations), subject: subjectOf(shop), story: story! };
  return exploreSubscriber({ ...options, ...more });
};
