import { setTimeout as sleep } from "node:timers/promises";
import { apply, makeShop, type ReadEvent, readEvent, type ShopHandler } from "./handlers.ts";

/** A handler with one bug, and where explore finds it. */
export interface Mutant {
  make: () => ShopHandler;
  story: string;
  /** The fewest deviations that show it; none where the calm run does. */
  schedule: [at: number, kind: string][];
}

const HOURS = 3_600_000;

/** Gives an order a status, beside what `apply` does. */
function move({ orders }: ReturnType<ShopHandler["state"]>, event: ReadEvent, status: string): void {
  orders[event.order] = { payments: 0, ...orders[event.order], status };
}

/** A shop that records what it has processed, and processes an event as `work` says. */
const shopThat = (work: Parameters<typeof makeShop>[0]) =>
  makeShop(async (event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return undefined;
    const status = await work(event, shop, seen);
    if ((status ?? 200) < 300) seen.add(event.key);
    return status;
  });

/** Handlers whose bug is not what the last deviation suggests. */
export const MUTANTS: Record<string, Mutant> = {
  "moves an order backward": {
    story: "checkout",
    schedule: [[0, "lost"]],
    make: () =>
      shopThat((event, shop) => {
        apply(event, shop);
        if (event.type === "checkout.completed") move(shop, event, "complete");
        return undefined;
      }),
  },
  "lets the later arrival win where two events have equal times": {
    story: "checkout",
    schedule: [[0, "lost"]],
    make() {
      const latest = new Map<string, number>();
      const shop = shopThat((event, { orders }) => {
        if (event.at >= (latest.get(event.order) ?? 0)) {
          latest.set(event.order, event.at);
          orders[event.order] = { status: event.type, payments: 0 };
        }
        return undefined;
      });
      return {
        ...shop,
        reset() {
          latest.clear();
          shop.reset();
        },
      };
    },
  },
  "marks an event as seen before it works": {
    story: "checkout",
    schedule: [[0, "lost"]],
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        if (event.type === "checkout.completed") {
          if (!shop.orders[event.order]) return 500;
          shop.orders[event.order]!.status = "complete";
        } else apply(event, shop);
        return undefined;
      }),
  },
  "throws after a commit": {
    story: "checkout",
    schedule: [[0, "lost"]],
    make: () =>
      shopThat((event, shop) => {
        shop.revenue += 1;
        const isPaid = shop.orders[event.order] !== undefined;
        if (event.type === "payment.completed") move(shop, event, "paid");
        return event.type === "checkout.completed" && !isPaid ? 500 : undefined;
      }),
  },
  "takes the time in the header for the event's": {
    story: "late-payment",
    schedule: [[0, "lost"]],
    make() {
      const shop = shopThat((event, { orders }) => {
        const order = orders[event.order] as { updated?: number } | undefined;
        if (event.sentAt < (order?.updated ?? 0)) return undefined;
        const status = event.type === "payment.completed" ? "paid" : "cancelled";
        Object.assign(orders, { [event.order]: { status, updated: event.sentAt } });
        return undefined;
      });
      return shop;
    },
  },
  "forgets what it has seen after an hour": {
    story: "checkout",
    schedule: [
      [0, "answer-lost"],
      [1, "outage"],
    ],
    make() {
      const seenAt = new Map<string, number>();
      const shop = makeShop((event, state) => {
        const earlier = seenAt.get(event.key);
        if (event.isTest || (earlier !== undefined && event.sentAt - earlier < HOURS)) return undefined;
        seenAt.set(event.key, event.sentAt);
        apply(event, state);
        return undefined;
      });
      return {
        ...shop,
        reset() {
          seenAt.clear();
          shop.reset();
        },
      };
    },
  },
  "overwrites a job that waits in its queue": {
    story: "checkout",
    schedule: [[0, "overlap"]],
    make() {
      let waiting: ReadEvent | undefined;
      const shop = shopThat((event, state) => {
        waiting = event;
        setTimeout(() => {
          if (waiting) apply(waiting, state);
          waiting = undefined;
        }, 100);
        return undefined;
      });
      return shop;
    },
  },
  "relies on the order of two events of one instant": {
    story: "checkout",
    schedule: [[0, "swap"]],
    make: () =>
      shopThat((event, shop, seen) => {
        apply(event, shop);
        const isSecond = [...seen].some((key) => key.startsWith("checkout.completed"));
        if (event.type === "payment.completed" && isSecond && event.sentAt === event.at)
          move(shop, event, "unpaid");
        return undefined;
      }),
  },
  "reads after 20 ms what it writes back after 60": {
    story: "checkout",
    schedule: [[0, "overlap-30"]],
    make: () =>
      shopThat(async (event, shop) => {
        if (event.type === "checkout.completed") {
          shop.revenue += 1;
          return undefined;
        }
        await sleep(20);
        const { revenue } = shop;
        await sleep(40);
        shop.revenue = revenue + event.amount;
        return undefined;
      }),
  },
  "has a cache that the reset misses": {
    story: "checkout",
    schedule: [],
    make() {
      const cache = new Set<string>();
      const shop = makeShop((event, state) => {
        if (event.isTest || cache.has(event.key)) return undefined;
        cache.add(event.key);
        apply(event, state);
        return undefined;
      });
      return shop;
    },
  },
};

export { readEvent };
