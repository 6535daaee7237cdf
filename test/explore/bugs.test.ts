import { describe, expect, it } from "vitest";
import { partingRows } from "../../src/trial/findings/parting.ts";
import { explorationLines, UNPAINTED } from "../../src/trial/findings/report.ts";
import { BUGS, type Bug } from "./bugs.ts";
import { apply, exploreShop, makeShop, type ReadEvent, type Shop, type ShopHandler } from "./handlers.ts";

describe("the bugs that explore finds", () => {
  it.each(Object.entries<Bug>(BUGS))(
    "explore finds the shortest schedule and the cause for a handler that %s",
    async (_bug, { make, story, schedule, why, parts }) => {
      const exploration = await exploreShop(make(), story, schedule?.length);
      const { finding, flaky } = exploration;
      expect(flaky).toBeNull();
      const found = finding?.run.schedule.map(({ at, kind }) => [at, kind]);
      if (schedule) expect(found).toEqual(schedule);
      const lines = explorationLines(exploration, { paint: UNPAINTED }).join("\n");
      if (why) expect(finding?.why).toContain(why);
      else expect(lines.split("\n\nWhen everything goes well")[0]).toMatchSnapshot();
      if (!parts) return;
      const [event, calm, wrong] = parts;
      const rows = partingRows(finding!).filter((row) => row.parts);
      expect(rows).toEqual([expect.objectContaining({ event })]);
      expect([rows[0]!.calm.join("; "), rows[0]!.found.join("; ")]).toEqual([
        expect.stringContaining(calm),
        expect.stringContaining(wrong),
      ]);
    },
  );

  it.each<[when: string, isLate: boolean]>([
    ["", false],
    [", for a server that keeps working after its responses", true],
  ])("explore rejects a reset that misses a cache%s", async (_when, isLate) => {
    const cache = new Set<string>();
    const shop = makeShop((event, state) => {
      if (event.isTest || cache.has(event.key)) return;
      cache.add(event.key);
      if (isLate) setTimeout(() => apply(event, state), 40);
      else apply(event, state);
    });
    await expect(exploreShop(shop, "checkout")).rejects.toMatchObject({
      code: "invalid_state",
      message: expect.stringMatching(
        isLate
          ? /^The reset leaves something behind/
          : /^The reset leaves something behind: when everything goes well, orders\.order-7 ends up as \{"status":"paid","payments":1\} the first time, and as nothing every time after that\.$/,
      ),
      hint: "Make the reset clear everything that your server remembers, such as a cache of the events that it has seen.",
    });
  });
});

/** Choices that a correct handler is free to make. */
const CHOICES = [
  // Whether it applies each event, or derives the state from all events so far.
  ["applies", "folds"],
  ["at once", "after a turn, one event at a time"],
  ["takes what is early", "answers 503 until the payment is there"],
  ["handles checkout.completed", "ignores it"],
  ["200", "204"],
] as const;

/** A correct handler for each number. The bits of the number are its choices. */
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
      events = [...events, event];
      if (folds) fold(state);
      else apply(event, state);
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

it("explore finds nothing wrong in eight correct handlers with different designs", async () => {
  for (let number = 0; number < 8; number += 1) {
    const { finding } = await exploreShop(correctHandler((number * 13) % 32), "checkout");
    expect(finding?.why, `handler ${number}`).toBeUndefined();
  }
});
