import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { explore } from "../../src/index.ts";
import { DEVIATIONS } from "../../src/trial/schedules/deviations/index.ts";
import { play } from "../../src/trial/schedules/play.ts";
import { extensions, type Schedule } from "../../src/trial/schedules/schedule.ts";
import { openStage } from "../../src/trial/schedules/stage.ts";
import { wireRoot } from "../../src/trial/schedules/wire.ts";
import { correctShop, exploreShop, readEvent, repeatingShop, subjectOf, usualOptions } from "./handlers.ts";

const optionsOf = ({ handler, state, reset } = correctShop()) => ({
  ...{ subscriber: handler, state, reset },
  story: "checkout",
});

describe("explore's schedules", () => {
  it.each<[story: string, schedules: number[]]>([
    ["checkout", [25, 284]],
    ["late-payment", [16, 210]],
  ])("explore tries every possible schedule exactly once (%s)", async (story, schedules) => {
    const { failure, covered } = await explore({ ...optionsOf(), story, deviations: schedules.length });
    expect(failure).toBeNull();
    expect(covered.map((level) => [level.schedules, level.tried, level.compared])).toEqual(
      schedules.map((all) => [all, all, all]),
    );
  });

  it("schedules are distinct, list their deviations in order, and never affect test deliveries", async () => {
    const options = { ...usualOptions("checkout", 2), subject: subjectOf(correctShop()) };
    const stage = await openStage(options, new AbortController().signal);
    try {
      const calm = await play(stage, [], { root: wireRoot() });
      const seen = new Set<string>();
      const look = async (schedule: Schedule, left: number): Promise<void> => {
        const run = await play(stage, schedule, { calm, root: wireRoot() });
        for (const one of run.attempts) if (one.trigger === "test") expect(one.deviation).toBeNull();
        for (const longer of extensions(schedule, run.attempts, run.recovery)) {
          expect(run.attempts[longer.at(-1)!.at]!.trigger).not.toBe("test");
          const name = JSON.stringify(longer);
          expect(seen).not.toContain(name);
          seen.add(name);
          const places = longer.map(({ at, kind }) =>
            kind === "second-endpoint" ? -1 : at * DEVIATIONS.length + DEVIATIONS.indexOf(kind),
          );
          expect(places).toEqual(places.toSorted((a, b) => a - b));
          if (left > 0) await look(longer, left - 1);
        }
      };
      await look([], 1);
      expect(seen.size).toBe(25 + 289);
    } finally {
      await stage.close();
    }
  });
});

it("docs/explore-reference.md has exactly one row for each deviation", () => {
  const docs = readFileSync(new URL("../../docs/explore-reference.md", import.meta.url), "utf8");
  const table = docs.split("\n| Deviation | ")[1]!.split("\n\n")[0]!;
  const names = [...table.matchAll(/^\| (`.*?`) \|/gm)].flatMap(([, first]) => first!.split(", "));
  expect(names.map((name) => name.replaceAll("`", "")).toSorted()).toEqual(DEVIATIONS.toSorted());
});

it("explore restarts a server after each attempt except the last", () => {
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

it("explore does not extend a schedule that failed, since more deviations would fail the same way", async () => {
  const { levels } = await exploreShop(repeatingShop(), "checkout", 2, { all: true });
  expect(levels[0]!.schedules).toBe(25);
  expect(levels[1]!.schedules).toBeLessThan(284);
});

describe("ids that the platform generates", () => {
  it("explore maps generated ids in field names to those of the calm run", async () => {
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

it("explore replays a finding three more times, no matter what the results are", async () => {
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
  // The schedule runs once, three more times, and once more together with the calm run to find the reason. There is no
  // reset after the last run.
  expect(resets).toHaveLength(5);
});
