import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { explore } from "../../src/index.ts";
import { DEVIATIONS } from "../../src/trial/schedules/deviations/index.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { play } from "../../src/trial/schedules/play.ts";
import { extensions, type Schedule } from "../../src/trial/schedules/schedule.ts";
import { openStage } from "../../src/trial/schedules/stage.ts";
import { wireRoot } from "../../src/trial/schedules/wire.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { correctShop, readEvent, repeatingShop, usualOptions } from "./handlers.ts";

const optionsOf = ({ handler, state, reset } = correctShop()) => ({
  ...{ subscriber: handler, state, reset },
  story: "checkout",
});

describe("the schedules that are tried", () => {
  it.each<[story: string, schedules: number[]]>([
    ["checkout", [21, 254]],
    ["late-payment", [16, 207]],
  ])("are all that there are, each of them once (%s)", async (story, schedules) => {
    const { failure, covered } = await explore({ ...optionsOf(), story, deviations: schedules.length });
    expect(failure).toBeNull();
    expect(covered.map((level) => [level.schedules, level.tried, level.compared])).toEqual(
      schedules.map((all) => [all, all, all]),
    );
  });

  it("are all different, have their deviations in order, and do nothing to a test delivery", async () => {
    const { handler, state, reset } = correctShop();
    const stage = await openStage(
      {
        subject: {
          ...{ url: "http://subscriber.localhost/webhooks", handler, stateUrl: null, resetBy: null },
          reset: async () => reset(),
          state: async () => state(),
          close: () => undefined,
        },
        ...{ story: STORIES[0]!, secret: "whsec_test", deviations: 2, budget: 60_000, timeout: 30_000 },
        ...{ ignore: [], seed: "explore", settings: resolveConfig({}, 0) },
      },
      new AbortController().signal,
    );
    try {
      const calm = await play(stage, [], { root: wireRoot() });
      const seen = new Set<string>();
      const look = async (schedule: Schedule, left: number): Promise<void> => {
        const run = await play(stage, schedule, { calm, root: wireRoot() });
        for (const { at, kind } of schedule)
          expect([run.attempts[at]!.trigger, kind]).not.toContain("test delivery");
        for (const one of run.attempts) if (one.trigger === "test") expect(one.deviation).toBeNull();
        for (const longer of left === 0 ? [] : extensions(schedule, run.attempts, run.recovery)) {
          const name = JSON.stringify(longer);
          expect(seen).not.toContain(name);
          seen.add(name);
          const places = longer.map(({ at, kind }) =>
            kind === "second-endpoint" ? -1 : at * DEVIATIONS.length + DEVIATIONS.indexOf(kind),
          );
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          await look(longer, left - 1);
        }
      };
      await look([], 2);
      expect(seen.size).toBe(21 + 254);
    } finally {
      await stage.close();
    }
  });
});

it("every deviation has a row in docs/explore-reference.md, and every row is a deviation", () => {
  const docs = readFileSync(new URL("../../docs/explore-reference.md", import.meta.url), "utf8");
  const table = docs.split("\n| Deviation | ")[1]!.split("\n\n")[0]!;
  const names = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, first]) => first!.split(", "));
  expect(names.map((name) => name.replaceAll("`", "")).toSorted()).toEqual(DEVIATIONS.toSorted());
});

it("a server is restarted after each attempt but the last one", () => {
  const attempt = {
    at: 0,
    failed: false,
    trigger: "automatic",
    pause: 0,
    background: false,
    calls: 0,
    statements: [],
  } as const;
  const restarts = extensions([], Array(4).fill(attempt), null, (kind) => kind === "restart");
  expect(restarts).toEqual([0, 1, 2].map((at) => [{ at, kind: "restart" }]));
});

it("a schedule that went wrong is not extended: with more deviations it would be wrong in the same way", async () => {
  const exploreAll = async ({ handler, reset, state } = correctShop()) => {
    const { levels } = await exploreSubscriber({
      subject: {
        ...{ url: "http://subscriber.localhost/webhooks", handler, stateUrl: null, resetBy: null },
        ...{ reset: async () => reset(), state: async () => state(), close: () => undefined },
      },
      ...{ ...usualOptions("checkout", 2), all: true },
    });
    return levels.map(({ schedules }) => schedules!);
  };
  const [clean, faulty] = [await exploreAll(), await exploreAll(repeatingShop())];
  expect(faulty[0]).toBe(clean[0]);
  expect(faulty[1]).toBeLessThan(clean[1]!);
});

describe("ids that the platform draws", () => {
  it("may be the names of a state's fields: they are those of the calm run in every other", async () => {
    const payments: Record<string, { type: string; copies: string[] }> = {};
    const { failure, covered } = await explore({
      ...{ story: "refused-then-paid", deviations: 1 },
      async subscriber(request) {
        const copy = (request as Request).clone();
        const { isTest, type, key } = await readEvent(request as Request);
        const { data } = (await copy.json()) as { data: { id: string } };
        if (!isTest) payments[`${data.id} ${type}`] = { type, copies: [key] };
        return { status: 200 };
      },
      state: () => ({ payments }),
      reset() {
        for (const id of Object.keys(payments)) delete payments[id];
      },
    });
    expect(failure?.story).toBeUndefined();
    expect(covered.map(({ tried, schedules }) => tried === schedules)).toEqual([true]);
  });
});

it("a finding is played three times more, whatever the results", async () => {
  const resets: number[] = [];
  let runs = 0;
  let isCopy = false;
  const shop = correctShop(() => {
    isCopy = true;
    return true;
  });
  const { failure } = await explore({
    ...optionsOf(shop),
    deviations: 1,
    reset() {
      if (isCopy) resets.push(runs);
      isCopy = false;
      runs += 1;
      shop.reset();
    },
  });
  expect(failure).toMatchObject({ deviations: [{ attempt: 1, kind: "answer-lost" }], runs: 4, wrong: 4 });
  // The first time, three more, and once more with the calm run beside it, to say why; the last is reset by nothing.
  expect(resets).toHaveLength(5);
});
