import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import {
  apply,
  lastWriteWins,
  makeShop,
  type ReadEvent,
  type Shop,
  type ShopHandler,
  shopThat,
} from "./handlers.ts";

/** A handler with one bug, and the schedule with which explore finds it. */
export interface Bug {
  make: () => ShopHandler;
  /** The handler without the bug, if it is not the usual correct handler. */
  fixed?: () => ShopHandler;
  story: string;
  /** The smallest schedule that reveals the bug; undefined if the test is not about the schedule. */
  schedule?: [at: number, kind: string][];
  /** What the finding's explanation must contain; by default, the whole output is compared. */
  why?: string;
  /**
   * The delivery after which the two runs differ, and the changes that it makes in the calm run and in the failing one.
   */
  parts?: [event: string, calm: string, found: string];
}

const MINUTES = 60_000;

/** Sets an order's status, and does what `apply` does. */
function move({ orders }: Shop, event: ReadEvent, status: string): void {
  orders[event.order] = { payments: 0, ...orders[event.order], status };
}

/** A shop that also remembers something outside its state, until it is reset. */
const remembering = <Key, Value>(make: (memory: Map<Key, Value>) => ShopHandler): ShopHandler => {
  const memory = new Map<Key, Value>();
  const shop = make(memory);
  return {
    ...shop,
    reset() {
      memory.clear();
      shop.reset();
    },
  };
};

const writesBack = (isBroken: boolean) => () =>
  shopThat(async (_event, shop) => {
    const { revenue } = shop;
    await sleep(50);
    shop.revenue = (isBroken ? revenue : shop.revenue) + 1;
  });

export const BUGS = {
  "is not idempotent": {
    story: "checkout",
    schedule: [[0, "answer-lost"]],
    make: () => makeShop((event, shop) => event.isTest || apply(event, shop)),
  },
  "recognizes duplicates only by the delivery id": {
    story: "checkout",
    schedule: [[0, "answer-lost"]],
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.deliveryId)) return;
        seen.add(event.deliveryId);
        apply(event, shop);
      }),
  },
  "lets the last write win": { story: "late-payment", schedule: [[0, "lost"]], make: lastWriteWins },
  "reads a value, changes it and writes it back": {
    story: "checkout",
    schedule: [[0, "overlap"]],
    ...{ make: writesBack(true), fixed: writesBack(false) },
  },
  "rejects events older than five minutes": {
    story: "checkout",
    schedule: [[0, "outage"]],
    make: () =>
      shopThat((event, shop) => {
        if (event.sentAt - event.at > 5 * MINUTES) return 400;
        return apply(event, shop);
      }, "after"),
  },
  "ignores a session's completion that arrives long after the payment": {
    story: "checkout",
    schedule: [[1, "lost"]],
    why: "checkout.completed is lost, and its retry arrives 1 min later.",
    make: () =>
      remembering<string, number>((paidAt) =>
        makeShop((event, shop) => {
          if (event.isTest) return;
          if (event.type === "payment.completed") paidAt.set(event.order, event.sentAt);
          const isLate = event.sentAt - (paidAt.get(event.order) ?? event.sentAt) >= MINUTES;
          if (event.type === "checkout.completed" && !isLate) move(shop, event, "complete");
        }),
      ),
  },
  "counts test deliveries": {
    story: "checkout",
    schedule: [[1, "test"]],
    why: "A test delivery with mock data arrives. It changes orders.test_order_1 from nothing to",
    make: () =>
      makeShop((event, shop, seen) => {
        if (seen.has(event.key)) return;
        seen.add(event.key);
        apply(event, shop);
      }),
  },
  "relies on checkout.completed after payment.completed": {
    story: "checkout",
    schedule: [[0, "lost"]],
    why: 'Before payment.completed, checkout.completed does not set orders.order-7.status to "shipped", as it does in order, although it gets a 2xx. An event can arrive before one that it builds on: store its data, or respond with 503',
    make: () =>
      shopThat((event, shop) => {
        if (event.type === "payment.completed") apply(event, shop);
        else if (shop.orders[event.order]) move(shop, event, "shipped");
      }),
  },
  "treats checkout.expired as final": {
    story: "late-payment",
    schedule: [[0, "lost"]],
    make: () =>
      shopThat((event, shop) => shop.orders[event.order]?.status === "cancelled" || apply(event, shop)),
  },
  "forgets event ids after 40 events": {
    story: "rush:30",
    schedule: [[0, "answer-lost"]],
    make: () =>
      shopThat((event, shop, seen) => {
        if (seen.size > 40) seen.delete(seen.values().next().value!);
        apply(event, shop);
      }),
  },
  "moves an order backward": {
    story: "checkout",
    schedule: [[0, "lost"]],
    why: 'After checkout.completed, payment.completed changes orders.order-7.status from "complete" to "paid". Both have the timestamp 09:00:00, which does not say which came first. Let an order move only forward, or read the session again before you change it.',
    parts: ["payment.completed", '"paid"', '"complete" → "paid"'],
    make: () =>
      shopThat((event, shop) => {
        apply(event, shop);
        if (event.type === "checkout.completed") move(shop, event, "complete");
      }),
  },
  "lets the last arrival win if two events have the same timestamp": {
    story: "checkout",
    schedule: [[0, "lost"]],
    why: 'After checkout.completed, payment.completed changes orders.order-7.status from "checkout.completed" to "payment.completed". Both have the timestamp 09:00:00, which does not say which came first.',
    make: () =>
      remembering<string, number>((latest) =>
        shopThat((event, { orders }) => {
          if (event.at < (latest.get(event.order) ?? 0)) return;
          latest.set(event.order, event.at);
          orders[event.order] = { status: event.type, payments: 0 };
        }),
      ),
  },
  "marks an event as processed before doing the work": {
    story: "checkout",
    schedule: [[0, "lost"]],
    why: "The handler responds with 500 to checkout.completed. It responds with 2xx to the retry after this failure without doing the work: it treats the event as already processed. Record an event as processed in the same transaction as its effect, so a failure leaves neither behind.",
    make: () =>
      shopThat((event, shop) => {
        if (event.type !== "checkout.completed") return apply(event, shop);
        if (!shop.orders[event.order]) return 500;
        return move(shop, event, "complete");
      }),
  },
  "throws after a commit": {
    story: "checkout",
    schedule: [[0, "lost"]],
    why: "The handler responds with 500 to checkout.completed, but has changed revenue by then, from 0 to 1. The retry after this failure changes it again, from 2 to 3. Record an event as processed in the same transaction as its effect",
    parts: ["checkout.completed", "nothing", "revenue: 2 → 3"],
    make: () =>
      shopThat((event, shop) => {
        shop.revenue += 1;
        const isPaid = shop.orders[event.order] !== undefined;
        if (event.type === "payment.completed") move(shop, event, "paid");
        return event.type === "checkout.completed" && !isPaid ? 500 : undefined;
      }, "after"),
  },
  "mistakes the time in the header for the event's time": {
    story: "late-payment",
    schedule: [[0, "lost"]],
    why: 'After payment.completed, checkout.expired changes orders.order-7.status from "paid" to "cancelled". orders.order-7.updated is 09:01:20, the time in the header of attempt 2 of checkout.expired;',
    make: () =>
      shopThat((event, { orders }) => {
        const order = orders[event.order] as { updated?: number } | undefined;
        if (event.sentAt < (order?.updated ?? 0)) return;
        const status = event.type === "payment.completed" ? "paid" : "cancelled";
        Object.assign(orders, { [event.order]: { status, updated: event.sentAt } });
      }),
  },
  "forgets event ids after an hour": {
    story: "checkout",
    schedule: [
      [0, "answer-lost"],
      [1, "outage"],
    ],
    why: "payment.completed changes orders.order-7.payments from nothing to 1, and its copy, 1 h 11 min later, changes it again, from 1 to 2. A copy that arrives sooner changes nothing: the handler forgets what it has seen.",
    parts: ["payment.completed", "nothing", "payments: 1 → 2"],
    make: () =>
      remembering<string, number>((seenAt) =>
        makeShop((event, shop) => {
          if (event.isTest || event.sentAt - (seenAt.get(event.key) ?? 0) < 60 * MINUTES) return;
          seenAt.set(event.key, event.sentAt);
          apply(event, shop);
        }),
      ),
  },
  "overwrites a job that is waiting in its queue": {
    story: "checkout",
    schedule: [[0, "overlap"]],
    why: 'Alone, payment.completed changes orders.order-7.status from nothing to "paid". Together with the other, it gets 200, and its change is missing. The work continues after the responses, so a job may overwrite one that is waiting.',
    make() {
      let waiting: ReadEvent | undefined;
      return shopThat((event, shop) => {
        waiting = event;
        setTimeout(() => {
          if (waiting) apply(waiting, shop);
          waiting = undefined;
        }, 100);
      });
    },
  },
  "relies on the order of two events at the same instant": {
    story: "checkout",
    schedule: [[0, "swap"]],
    make: () =>
      shopThat((event, shop, seen) => {
        apply(event, shop);
        const isSecond = [...seen].some((key) => key.startsWith("checkout.completed"));
        if (event.type === "payment.completed" && isSecond && event.sentAt === event.at)
          move(shop, event, "unpaid");
      }),
  },
  "reads a value after 20 ms and writes it back after 120 ms": {
    story: "checkout",
    // The speed of the machine determines which of the overlaps coincides with the handler's own delays.
    schedule: [[0, expect.stringMatching(/^overlap/)]],
    why: "are processed at the same time",
    make: () =>
      shopThat(async (event, shop) => {
        if (event.type === "checkout.completed") shop.revenue += 1;
        if (event.type === "checkout.completed") return;
        await sleep(20);
        const { revenue } = shop;
        await sleep(100);
        shop.revenue = revenue + event.amount;
      }),
  },
  "refuses late events": {
    story: "checkout",
    why: "The handler responds with 400 to payment.completed, 1 min after it happened, and refuses it for ever. Process an event no matter how late it arrives or what arrived before it.",
    make: () => shopThat((event, shop) => (event.sentAt > event.at ? 400 : apply(event, shop)), "after"),
  },
  "accepts late events but ignores them": {
    story: "checkout",
    why: 'After checkout.completed, payment.completed does not set orders.order-7.status to "paid", as it does in order, although it gets a 2xx. Process an event no matter how late it arrives',
    make: () => shopThat((event, shop) => event.sentAt > event.at || apply(event, shop)),
  },
  "ignores late events in any order": {
    story: "checkout",
    why: "checkout.completed arrives 1 h 11 min after it happened, gets 200, and does not set orders.order-7 to",
    make: () =>
      shopThat((event, shop) => {
        if (event.type === "checkout.completed" && event.sentAt === event.at) apply(event, shop);
      }),
  },
  "does part of the work before it fails": {
    story: "checkout",
    why: "The handler responds with 500 to checkout.completed, with part of the work done. It responds with 2xx to the retry, but does not do the rest.",
    make: () =>
      shopThat((event, shop) => {
        if (event.type === "payment.completed") return apply(event, shop);
        shop.revenue += 1;
        if (!shop.orders[event.order]) return 500;
        return move(shop, event, "shipped");
      }),
  },
  "stores the time of the attempt": {
    story: "checkout",
    why: "is 09:01:00, the time in the header of attempt 2 of payment.completed; the time in its body is 09:00:00 in each attempt. Take the time of an event from its body.",
    make: () =>
      shopThat((event, { orders }) =>
        Object.assign(orders, { [event.key]: { at: new Date(event.sentAt).toISOString() } }),
      ),
  },
} satisfies Record<string, Bug>;
