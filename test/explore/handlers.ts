import { resolveConfig } from "../../src/config/config.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import type { Handler } from "../../src/trial/subject/subscriber.ts";
import type { Json } from "../support/sandbox.ts";

/** An event as a handler reads it. */
export interface ReadEvent {
  type: string;
  /** What a repetition has, too: the event type and the id of what it is about. */
  key: string;
  deliveryId: string;
  /** The order that it is about. */
  order: string;
  amount: number;
  /** When it happened, virtual milliseconds. */
  at: number;
  sentAt: number;
  isTest: boolean;
}

/** The database of a shop. */
export interface Shop {
  orders: Record<string, { status: string; payments: number }>;
  revenue: number;
}

export interface ShopHandler {
  handler: Handler;
  reset(): void;
  state(): Shop;
}

type Process = (
  event: ReadEvent,
  shop: Shop,
  seen: Set<string>,
) => undefined | number | Promise<undefined | number>;

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

/** A handler with a database in memory. `process` returns the status to answer; 200 if it returns none. */
export function makeShop(process: Process): ShopHandler {
  let shop: Shop = { orders: {}, revenue: 0 };
  let seen = new Set<string>();
  return {
    async handler(request) {
      return new Response(null, { status: (await process(await readEvent(request), shop, seen)) ?? 200 });
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

/** What an event means, whatever came before it. */
export function apply(event: ReadEvent, shop: Shop): void {
  const order = orderOf(shop, event);
  if (event.type === "payment.completed") {
    order.status = "paid";
    order.payments += 1;
    shop.revenue += event.amount;
  } else if (order.status === "open" && event.type === "checkout.expired") order.status = "cancelled";
}

/**
 * A shop without a bug.
 * @param repeats whether it handles an event once more that it has seen; never by default
 */
export const correctShop = (repeats: () => boolean = () => false): ShopHandler =>
  makeShop((event, shop, seen) => {
    if (event.isTest || (seen.has(event.key) && !repeats())) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

/**
 * A shop that handles an event as often as it comes.
 * @param repeats which events; all by default
 */
export const repeatingShop = (repeats: (event: ReadEvent) => boolean = () => true): ShopHandler =>
  makeShop((event, shop, seen) => {
    if (event.isTest || (seen.has(event.key) && !repeats(event))) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

/** How the tests explore a shipped story, unless they are about it. */
export const usualOptions = (story: string, deviations: number) => ({
  story: STORIES.find(({ name }) => name === story)!,
  ...{ secret: "whsec_explore", deviations, budget: 60_000, timeout: 30_000, ignore: [], seed: "explore" },
  settings: resolveConfig({}, 0),
});
