import { describe, expect, it } from "vitest";
import type { Paint } from "../../src/reports/terminal.ts";
import { explorationLines } from "../../src/trial/findings/report.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { apply, makeShop, type ShopHandler, usualOptions } from "./handlers.ts";

const MINUTES = 60_000;
const pause = () => new Promise<void>((resolve) => setImmediate(resolve));

const same = (text: string) => text;
const PLAIN: Paint = { bold: same, dim: same, green: same, red: same, yellow: same };

/** Handlers with one bug each. */
const BUGS: Record<string, () => ShopHandler> = {
  "is not idempotent": () =>
    makeShop((event, shop) => {
      if (!event.isTest) apply(event, shop);
      return undefined;
    }),
  "recognizes repetitions by the delivery id alone": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.deliveryId)) return undefined;
      seen.add(event.deliveryId);
      apply(event, shop);
      return undefined;
    }),
  "marks an event as seen before it is processed, and fails in between": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      if (event.type === "checkout.completed" && !shop.orders[event.order]) return 500;
      apply(event, shop);
      if (event.type === "checkout.completed") shop.orders[event.order]!.status = "complete";
      return undefined;
    }),
  "lets the last write win": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      if (event.type === "checkout.expired") shop.orders[event.order]!.status = "cancelled";
      return undefined;
    }),
  "reads, changes and writes back": () =>
    makeShop(async (event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      const { revenue } = shop;
      await pause();
      shop.revenue = revenue + 1;
      return undefined;
    }),
  "rejects events older than five minutes": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      if (event.sentAt - event.at > 5 * MINUTES) return 400;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    }),
  "counts test deliveries": () =>
    makeShop((event, shop, seen) => {
      if (seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    }),
  "relies on checkout.completed after payment.completed": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      if (event.type === "checkout.completed") {
        if (shop.orders[event.order]?.status === "paid") shop.orders[event.order]!.status = "shipped";
      } else apply(event, shop);
      return undefined;
    }),
  "treats checkout.expired as final": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      if (shop.orders[event.order]?.status !== "cancelled") apply(event, shop);
      return undefined;
    }),
  "forgets what it has seen after 1,000 events": () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      if (seen.size > 1_000) seen.delete(seen.values().next().value!);
      apply(event, shop);
      return undefined;
    }),
};

/** Explores a handler with a story. */
function exploreWith(makeHandler: () => ShopHandler, name: string) {
  const { handler, reset, state } = makeHandler();
  return exploreSubscriber({
    subject: {
      url: "http://127.0.0.1:9/webhooks",
      handler,
      stateUrl: null,
      resetBy: null,
      close: () => undefined,
      reset: async () => reset(),
      state: async () => state(),
    },
    ...usualOptions(name, 2),
  });
}

describe("explore finds", () => {
  it.each<[bug: string, story: string, schedule: [at: number, kind: string][]]>([
    ["is not idempotent", "checkout", [[0, "answer-lost"]]],
    ["recognizes repetitions by the delivery id alone", "checkout", [[0, "answer-lost"]]],
    ["marks an event as seen before it is processed, and fails in between", "checkout", [[0, "lost"]]],
    ["lets the last write win", "late-payment", [[0, "lost"]]],
    ["reads, changes and writes back", "checkout", [[0, "overlap"]]],
    ["rejects events older than five minutes", "checkout", [[0, "outage"]]],
    ["counts test deliveries", "checkout", [[1, "test"]]],
    ["relies on checkout.completed after payment.completed", "checkout", [[0, "lost"]]],
    ["treats checkout.expired as final", "late-payment", [[0, "lost"]]],
    ["forgets what it has seen after 1,000 events", "rush", [[0, "answer-lost"]]],
  ])("a handler that %s (%s)", async (bug, story, schedule) => {
    const exploration = await exploreWith(BUGS[bug]!, story);
    const { finding, flaky } = exploration;
    expect(flaky).toBeNull();
    expect(finding?.run.schedule.map(({ at, kind }) => [at, kind])).toEqual(schedule);
    expect(explorationLines(exploration, { paint: PLAIN }).join("\n")).toMatchSnapshot();
  });
});
