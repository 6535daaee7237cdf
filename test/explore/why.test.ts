import { describe, expect, it } from "vitest";
import { partingRows } from "../../src/trial/findings/parting.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { apply, makeShop, type ShopHandler, usualOptions } from "./handlers.ts";
import { MUTANTS } from "./mutants.ts";

const exploreWith = ({ handler, reset, state }: ShopHandler, story: string, deviations = 1) =>
  exploreSubscriber({
    subject: {
      url: "http://127.0.0.1:9/webhooks",
      handler,
      stateUrl: null,
      resetBy: null,
      close: () => undefined,
      reset: async () => reset(),
      state: async () => state(),
    },
    ...usualOptions(story, deviations),
  });

/** A handler that ignores what it has seen, and processes the rest as `work` says. */
const seenBefore = (work: (...args: Parameters<Parameters<typeof makeShop>[0]>) => undefined | number) =>
  makeShop((event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return undefined;
    const status = work(event, shop, seen);
    if (status === undefined) seen.add(event.key);
    return status;
  });

describe("the reason of a finding", () => {
  it.each([
    [
      "moves an order backward",
      'After checkout.completed, payment.completed changes orders.order-7.status from "complete" to "paid". Both have the timestamp 09:00:00, which does not say which came first. Let an order move only forward, or read the session again before you change it.',
    ],
    [
      "lets the later arrival win where two events have equal times",
      'After checkout.completed, payment.completed changes orders.order-7.status from "checkout.completed" to "payment.completed". Both have the timestamp 09:00:00, which does not say which came first. Let an order move only forward, or read the session again before you change it.',
    ],
    [
      "marks an event as seen before it works",
      "The handler answers 500 to checkout.completed, and 2xx to the retry of its own failure, without doing the work: it takes the event for one that it has processed. Record an event as processed in the transaction of its effect, so that a failure leaves neither.",
    ],
    [
      "throws after a commit",
      "The handler answers 500 to checkout.completed, but has changed revenue by then, from 0 to 1. The retry of its own failure changes it again, from 2 to 3. Record an event as processed in the transaction of its effect, so that a failure leaves neither.",
    ],
    [
      "takes the time in the header for the event's",
      'After payment.completed, checkout.expired changes orders.order-7.status from "paid" to "cancelled". orders.order-7.updated is 09:01:20, the time in the header of attempt 2 of checkout.expired; the time in its body is 09:00:20 in each attempt. checkout.expired happened at 09:00:20, and payment.completed at 09:00:40: compare the timestamps in the bodies, or read the session again before you change an order.',
    ],
    [
      "forgets what it has seen after an hour",
      "payment.completed changes orders.order-7.payments from nothing to 1, and its copy, 1 h 11 min later, changes it again, from 1 to 2. A copy that arrives sooner changes nothing: the handler forgets what it has seen. Remember processed events for as long as their effects: a person can retry one days later.",
    ],
    [
      "overwrites a job that waits in its queue",
      'Alone, payment.completed changes orders.order-7.status from nothing to "paid". Together with the other, it is answered 200, and its change is missing. The work goes on after the answers, so a job may overwrite one that waits. Store each job by itself, and do them one by one.',
    ],
  ])("names the cause in a handler that %s", async (bug, why) => {
    const { make, story, schedule } = MUTANTS[bug]!;
    const { finding } = await exploreWith(make(), story, schedule.length);
    expect(finding?.run.schedule.map(({ at, kind }) => [at, kind])).toEqual(schedule);
    expect(finding!.why).toContain(why);
  });

  it.each<[bug: string, parts: string, calm: string, found: string]>([
    ["moves an order backward", "payment.completed", '"paid"', '"complete" → "paid"'],
    ["throws after a commit", "checkout.completed", "nothing", "revenue: 2 → 3"],
    ["forgets what it has seen after an hour", "payment.completed", "nothing", "payments: 1 → 2"],
  ])(
    "names the delivery after which the runs part, and its changes in both: %s",
    async (bug, event, calm, found) => {
      const { make, story, schedule } = MUTANTS[bug]!;
      const { finding } = await exploreWith(make(), story, schedule.length);
      const parting = partingRows(finding!).filter(({ parts }) => parts);
      expect(parting).toEqual([expect.objectContaining({ event })]);
      expect(parting[0]!.calm.join("; ")).toContain(calm);
      expect(parting[0]!.found.join("; ")).toContain(found);
    },
  );

  it("names a cache that the reset misses", async () => {
    const { make, story } = MUTANTS["has a cache that the reset misses"]!;
    await expect(exploreWith(make(), story)).rejects.toMatchObject({
      code: "invalid_state",
      message:
        'The reset leaves something behind: when everything goes well, orders.order-7 ends up as {"status":"paid","payments":1} the first time, and as nothing each time after that.',
      hint: "Let the reset clear all that your server remembers, such as a cache of the events that it has seen.",
    });
  });

  it("names such a cache for a server that works after its answers", async () => {
    const cache = new Set<string>();
    const shop = makeShop((event, state) => {
      if (event.isTest || cache.has(event.key)) return undefined;
      cache.add(event.key);
      setTimeout(() => apply(event, state), 40);
      return undefined;
    });
    await expect(exploreWith(shop, "checkout")).rejects.toMatchObject({
      message: expect.stringContaining("The reset leaves something behind"),
    });
  });

  it.each<[bug: string, story: string, make: () => ShopHandler, why: string]>([
    [
      "refuses what is late",
      "checkout",
      () => seenBefore((event, shop) => (event.sentAt > event.at ? 400 : void apply(event, shop))),
      "The handler answers 400 to payment.completed, 1 min after it happened, and refuses it for ever. Process an event however late it arrives, and whatever arrived before it.",
    ],
    [
      "accepts what is late, and ignores it",
      "checkout",
      () => seenBefore((event, shop) => (event.sentAt > event.at ? undefined : void apply(event, shop))),
      'After checkout.completed, payment.completed does not set orders.order-7.status to "paid", as it does in order, although it is answered 2xx. Process an event however late it arrives, and whatever arrived before it.',
    ],
    [
      "ignores what is late, in whatever order",
      "checkout",
      () =>
        seenBefore((event, shop) => {
          if (event.type === "checkout.completed" && event.sentAt === event.at) apply(event, shop);
          return undefined;
        }),
      "checkout.completed arrives 1 h 11 min after it happened, is answered 200, and does not set orders.order-7 to",
    ],
    [
      "needs the event before",
      "checkout",
      () =>
        seenBefore((event, shop) => {
          if (event.type === "payment.completed") apply(event, shop);
          else if (shop.orders[event.order]) shop.orders[event.order]!.status = "shipped";
          return undefined;
        }),
      'Before payment.completed, checkout.completed does not set orders.order-7.status to "shipped", as it does in order, although it is answered 2xx. An event can arrive before one that it builds on',
    ],
    [
      "does a part of the work before it fails",
      "checkout",
      () =>
        makeShop((event, shop, seen) => {
          if (event.isTest || seen.has(event.key)) return undefined;
          seen.add(event.key);
          if (event.type === "payment.completed") apply(event, shop);
          else {
            const isPaid = shop.orders[event.order] !== undefined;
            shop.revenue += 1;
            if (!isPaid) return 500;
            shop.orders[event.order]!.status = "shipped";
          }
          return undefined;
        }),
      "The handler answers 500 to checkout.completed, with a part of the work done. It answers 2xx to the retry, and does not do the rest.",
    ],
    [
      "stores the time of the attempt",
      "checkout",
      () =>
        seenBefore((event, { orders }) => {
          Object.assign(orders, { [event.key]: { at: new Date(event.sentAt).toISOString() } });
          return undefined;
        }),
      "is 09:01:00, the time in the header of attempt 2 of payment.completed; the time in its body is 09:00:00 in each attempt. Take the time of an event from its body.",
    ],
    [
      "processes tests",
      "checkout",
      () =>
        makeShop((event, shop, seen) => {
          if (seen.has(event.key)) return undefined;
          seen.add(event.key);
          apply(event, shop);
          return undefined;
        }),
      "A test delivery with mock data arrives. It changes orders.test_order_1 from nothing to",
    ],
  ])("names only what was seen: %s", async (_bug, story, make, why) => {
    const { finding } = await exploreWith(make(), story);
    expect(finding!.why).toContain(why);
  });
});
