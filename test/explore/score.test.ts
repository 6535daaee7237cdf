import { describe, expect, it } from "vitest";
import { explore } from "../../src/index.ts";
import { apply, makeShop, type ReadEvent, type Shop, type ShopHandler } from "./handlers.ts";
import { MUTANTS } from "./mutants.ts";

const exploreShop = ({ handler, state, reset }: ShopHandler, story: string, deviations: number) =>
  explore({ ...{ subscriber: handler, state, reset, story, deviations }, secret: "whsec_test" });

/** What a correct handler may do in one way or another. */
const CHOICES = [
  // Applies an event, or works the state out of all events that it has.
  ["applies", "folds"],
  ["at once", "after a turn, one event at a time"],
  ["takes what is early", "answers 503 until the payment is there"],
  ["handles checkout.completed", "ignores it"],
  ["200", "204"],
] as const;

/** A correct handler for each number: its bits are its choices. */
function correctHandler(number: number): ShopHandler {
  const [folds, waits, refuses, ignores, quietly] = CHOICES.map((_, bit) => (number >> bit) % 2 === 1);
  let queue: Promise<unknown> = Promise.resolve();
  let events: ReadEvent[] = [];
  const fold = (shop: Shop) => {
    Object.assign(shop, { orders: {}, revenue: 0 });
    for (const one of events.toSorted((a, b) => a.at - b.at || a.key.localeCompare(b.key))) apply(one, shop);
  };
  const shop = makeShop(async (event, state, seen) => {
    const work = async () => {
      if (waits) await new Promise((resolve) => setImmediate(resolve));
      if (event.isTest || seen.has(event.key) || (ignores && event.type === "checkout.completed")) return;
      if (refuses && event.type === "checkout.completed" && !state.orders[event.order]) return 503;
      seen.add(event.key);
      if (!folds) apply(event, state);
      else {
        events = [...events, event];
        fold(state);
      }
      return;
    };
    const done = waits ? queue.then(work) : work();
    queue = done.catch(() => undefined);
    return (await done) ?? (quietly ? 204 : 200);
  });
  return {
    ...shop,
    reset() {
      events = [];
      shop.reset();
    },
  };
}

/** Which of the timed overlaps meets a handler's own times depends on the machine's speed. */
const untimed = ([attempt, kind]: readonly [number, string]) => [
  attempt,
  kind.replace(/^(overlap)-\d+$/, "$1-…"),
];

describe("explore finds", () => {
  it.each(Object.entries(MUTANTS).filter(([, { schedule }]) => schedule.length > 0))(
    "the bug of a handler that %s, with the fewest deviations",
    async (_bug, { make, story, schedule }) => {
      const { failure } = await exploreShop(make(), story, schedule.length);
      const found = failure?.deviations.map(({ attempt, kind }) => [attempt - 1, kind] as const);
      expect(found?.map(untimed)).toEqual(schedule.map(untimed));
    },
  );
});

it("explore finds no fault in any of 20 correct handlers", async () => {
  for (let number = 0; number < 20; number += 1) {
    const { failure } = await exploreShop(correctHandler((number * 13) % 32), "checkout", 1);
    expect(failure?.story, `handler ${number}`).toBeUndefined();
  }
});
