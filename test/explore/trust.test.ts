import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { explore, SandboxError } from "../../src/index.ts";
import { surveyLines, UNPAINTED } from "../../src/trial/findings/report.ts";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { apply, correctShop, makeShop, type ReadEvent, readEvent, type ShopHandler } from "./handlers.ts";
import { serveShop } from "./server.ts";
import { exploreMine, exploreShop, folderWith } from "./trust.ts";

const optionsOf = ({ handler, state, reset }: ShopHandler) => ({
  ...{ subscriber: handler, state, reset },
  story: "checkout",
});

/** A shop that records each event once, and derives its state from the records with the given function. */
function recordingShop<Row>(
  rowOf: (event: ReadEvent, rows: readonly Row[]) => Row,
  stateOf: (rows: Row[]) => unknown,
) {
  let rows: Row[] = [];
  let seen = new Set<string>();
  return {
    story: "checkout",
    async subscriber(request: unknown) {
      const event = await readEvent(request as Request);
      if (!event.isTest && !seen.has(event.key)) {
        seen.add(event.key);
        rows.push(rowOf(event, rows));
      }
      return { status: 200 };
    },
    state: () => stateOf(rows),
    reset() {
      rows = [];
      seen = new Set();
    },
  };
}

describe("the evidence that explore requires", () => {
  const WITH_A_PAUSE = [
    'await pay("order-1");',
    "await sandbox.webhooks.disable(id);",
    'await pay("order-2");',
    "await sandbox.webhooks.enable(id);",
    'await pay("order-3");',
  ];

  it("explore compares states even after an endpoint is disabled, and finds a bug there", async () => {
    const clean = await exploreMine(folderWith(...WITH_A_PAUSE), correctShop(), "--json");
    const [{ verdict, levels }] = JSON.parse(clean.stdout).stories;
    expect({ code: clean.code, verdict }).toEqual({ code: 0, verdict: "nothing_found" });
    expect(levels[0].compared).toBeGreaterThan(10);
    const twice = makeShop((event, shop) => {
      if (!event.isTest) apply(event, shop);
      return undefined;
    });
    expect((await exploreMine(folderWith(...WITH_A_PAUSE), twice)).code).toBe(1);
  });
});

describe("a race", () => {
  /** A shop that counts a payment twice when two requests overlap, but only every other time. */
  function sometimesRacingShop(): ShopHandler {
    let meetings = 0;
    let open = 0;
    return makeShop(async (event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      open += 1;
      await new Promise<void>((resolve) => setImmediate(resolve));
      if (open > 1) meetings += 1;
      apply(event, shop);
      if (open > 1 && meetings % 2 === 1) shop.revenue += 1;
      open -= 1;
      return undefined;
    });
  }

  it("explore reports a race that appears in only some runs, and prints how many", async () => {
    const { failure } = await explore({ ...optionsOf(sometimesRacingShop()), deviations: 1 });
    expect(failure).toMatchObject({ deviations: [{ kind: "overlap" }], runs: 4 });
    expect(failure!.wrong).toBeGreaterThan(0);
    expect(failure!.wrong).toBeLessThan(4);
    expect(failure!.story).toContain(`In ${failure!.wrong} of 4 runs of this schedule`);
  });

  it("explore reports no race if the calm run is unstable as well", async () => {
    let runs = 0;
    const shop = correctShop();
    const exploring = explore({
      ...optionsOf(shop),
      reset() {
        runs += 1;
        shop.reset();
      },
      // Every seventh run ends in a different state, whatever happens in it.
      state: () => ({ ...shop.state(), ...(runs % 7 === 6 && shop.state().revenue > 0 && { extra: true }) }),
    });
    await expect(exploring).rejects.toThrow(/not deterministic: two calm runs ended differently/);
  });
});

describe("a rejection that tells the sender to retry later", () => {
  /** A shop that must receive the payment first, and rejects any earlier event with this status. */
  const patientShop = (status: number) =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      if (event.type !== "payment.completed" && !shop.orders[event.order]) return status;
      seen.add(event.key);
      apply(event, shop);
      if (event.type === "checkout.completed") shop.orders[event.order]!.status = "complete";
      return undefined;
    });

  it.each([
    [503, 2],
    [409, 1],
    [408, 1],
    [425, 1],
    [429, 1],
    [500, 1],
  ])(
    "explore accepts a handler that rejects events with %d until the payment arrives, in schedules with up to %d deviation(s)",
    async (status, deviations) => {
      const { failure, covered } = await explore({ ...optionsOf(patientShop(status)), deviations });
      expect(failure?.story).toBeUndefined();
      expect(
        covered.map(({ tried, schedules, compared }) => [tried === schedules, compared === tried]),
      ).toEqual(Array(deviations).fill([true, true]));
    },
  );

  it("explore finds a handler that asks for retries but never accepts the event", async () => {
    const stuck = makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      if (event.type === "payment.completed" && seen.size > 0) return 503;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    });
    const { failure } = await explore({ ...optionsOf(stuck), deviations: 1 });
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "lost" }]);
    expect(failure?.story).toContain("503, retried by hand");
  });

  it.each([400, 422])(
    "explore finds an event that is rejected with %d forever, even if the state does not show it",
    async (status) => {
      // The state does not include checkout.completed, which the shop rejects if it is late.
      const shop = makeShop((event, state, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        if (event.type === "checkout.completed" && event.sentAt > event.at) return status;
        seen.add(event.key);
        if (event.type === "payment.completed") apply(event, state);
        return undefined;
      });
      const { failure } = await explore({ ...optionsOf(shop), deviations: 1 });
      expect(failure).toMatchObject({ differences: [] });
      expect(failure?.story).toContain("checkout.completed is refused for ever.");
      expect(failure?.story.replace(/\s+/g, " ")).toContain(
        `The handler responds with ${status} to checkout.completed, and refuses it for ever.`,
      );
    },
  );

  it.each<[answer: number, found: boolean]>([
    [500, true],
    [503, true],
    [400, true],
    // These statuses mean that the event was already handled or is being handled.
    [409, false],
    [425, false],
  ])(
    "explore judges whether rejecting every duplicate with %d is a finding (expected: %s)",
    async (status, found) => {
      const shop = makeShop((event, state, seen) => {
        if (event.isTest) return undefined;
        if (seen.has(event.key)) return status;
        seen.add(event.key);
        apply(event, state);
        return undefined;
      });
      const { failure } = await explore({ ...optionsOf(shop), deviations: 1 });
      expect(failure?.story.includes("is refused for ever.") ?? false, failure?.story).toBe(found);
    },
  );

  it.each([503, 408, 429])(
    "explore accepts a duplicate rejected with %d if a manual retry is accepted",
    async (status) => {
      const refusals = new Map<string, number>();
      const shop = makeShop((event, state, seen) => {
        if (event.isTest) return undefined;
        const times = refusals.get(event.key) ?? 0;
        refusals.set(event.key, times + 1);
        // Reject as many copies as the platform sends automatically after the first attempt.
        if (seen.has(event.key)) return times <= 3 ? status : undefined;
        seen.add(event.key);
        apply(event, state);
        return undefined;
      });
      const { failure } = await explore({
        ...optionsOf(shop),
        deviations: 1,
        reset() {
          refusals.clear();
          shop.reset();
        },
      });
      expect(failure?.story).toBeUndefined();
    },
  );

  it("explore reports an occasional rejection along with the previous response", async () => {
    let requests = 0;
    const overloaded = makeShop((event, shop, seen) => {
      requests += 1;
      if (requests % 20 === 0) return 503;
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    });
    const refused = await explore(optionsOf(overloaded)).catch((error) => error);
    expect(refused).toBeInstanceOf(SandboxError);
    expect(refused.message).toMatch(
      /not deterministic: \S+ got (?:503, but 200 earlier|200, but 503 earlier), after the same requests\./,
    );
    expect(refused.message).not.toContain("ignore");
  });

  it("explore reports a rejection in the first run even if a replay accepts the event", async () => {
    let requests = 0;
    const shop = correctShop();
    const subscriber = (request: never) => {
      requests += 1;
      return requests === 1 ? new Response(null, { status: 503 }) : shop.handler(request);
    };
    await expect(explore({ ...optionsOf(shop), subscriber: subscriber as never })).rejects.toThrow(
      /not deterministic: payment\.completed got 503, but was accepted in another run/,
    );
  });
});

describe("the order of a list", () => {
  const byArrival = () =>
    recordingShop(
      (event) => ({ type: event.type }),
      (mails) => ({ mails }),
    );

  it("explore ignores the order of a list unless the ordered setting includes it", async () => {
    const { failure } = await explore({ ...byArrival(), deviations: 1 });
    expect(failure?.story).toBeUndefined();
    const ordered = await explore({ ...byArrival(), ordered: ["mails"], deviations: 1 });
    expect(ordered.failure?.differences.map(({ path }) => path)).toEqual(["mails[0].type", "mails[1].type"]);
  });

  it("explore ignores the order of numbered entries, with or without gaps, and the report mentions it", async () => {
    const numbered = recordingShop(
      (event, rows) => ({ id: rows.length + 1, type: event.type }),
      (rows) => ({ rows, last: rows.length }),
    );
    const { args } = await serveShop({ ...numbered, handler: numbered.subscriber } as never);
    const { code, stdout } = await runWarmCli([
      "explore",
      ...args,
      "--story",
      "checkout",
      "--deviations",
      "1",
    ]);
    expect(code).toBe(0);
    expect(stdout).toContain(
      "Same entries, different order and numbers: rows. That does not count as a\ndifference unless subject.ordered names the list.",
    );
    let rows: object[] = [];
    let seen = new Set<string>();
    let drawn = 0;
    const { failure } = await explore({
      ...{ story: "checkout", deviations: 1, state: () => ({ rows }) },
      // As in a database, a duplicate also gets a generated id, which is then not used.
      async subscriber(request) {
        const { key, type, isTest } = await readEvent(request as Request);
        if (isTest) return { status: 200 };
        drawn += 1;
        if (!seen.has(key)) rows.push({ id: drawn, type });
        seen.add(key);
        return { status: 200 };
      },
      reset() {
        [rows, seen, drawn] = [[], new Set(), 0];
      },
    });
    expect(failure?.story).toBeUndefined();
  });

  it("explore reports extra and changed entries in an unordered list", async () => {
    let mails: object[] = [];
    const shop = {
      story: "checkout",
      deviations: 1,
      async subscriber(request: unknown) {
        const { type, isTest } = await readEvent(request as Request);
        if (!isTest) mails.push({ id: mails.length + 1, type, to: "a@b.example" });
        return { status: 200 };
      },
      state: () => ({ mails }),
      reset() {
        mails = [];
      },
    };
    const twice = await explore(shop);
    expect(twice.failure?.differences).toEqual([
      {
        path: "mails[2]",
        expected: undefined,
        actual: expect.objectContaining({ type: "payment.completed" }),
      },
    ]);
    expect(twice.failure?.story).toContain("Mails has an entry too many.");
  });
});

describe("keys with dots", () => {
  const counting = () => {
    const counts: Record<string, { n: number }> = {};
    return {
      story: "checkout",
      deviations: 1,
      async subscriber(request: unknown) {
        const { type, isTest } = await readEvent(request as Request);
        counts[type] ??= { n: 0 };
        counts[type].n += isTest ? 0 : 1;
        return { status: 200 };
      },
      state: () => ({ counts, sum: Object.keys(counts).length }),
      reset() {
        for (const key of Object.keys(counts)) delete counts[key];
      },
    };
  };

  it("a finding puts keys with dots in quotes, both in its paths and in its headline", async () => {
    const { failure } = await explore(counting());
    expect(failure?.differences).toEqual([{ path: 'counts["payment.completed"].n', expected: 1, actual: 2 }]);
    expect(failure?.story).toContain("N of payment.completed is counted twice.");
  });

  it("subject.ignore accepts quoted keys and asterisks, and treats a quoted asterisk as a literal name", async () => {
    for (const [ignore, found] of [
      [['counts["payment.completed"].n', 'counts["checkout.completed"].n'], 0],
      [['$["counts"].*["n"]'], 0],
      [["counts.*completed.n"], 0],
      [['counts["*"].n', 'counts["*"]'], 1],
    ] as const) {
      const { failure } = await explore({ ...counting(), ignore: [...ignore] });
      expect([ignore, failure?.differences.length ?? 0]).toEqual([ignore, found]);
    }
    for (const path of ["counts[", 'counts["a]', "counts[x]", "a..b"])
      await expect(explore({ ...counting(), ignore: [path] })).rejects.toThrow(/ignore must list paths/);
  });
});

describe("explore without a story", () => {
  const lastWriteWins = () =>
    makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      if (event.type === "checkout.expired") shop.orders[event.order]!.status = "cancelled";
      return undefined;
    });

  it("explore plays the shipped stories, printing a line for each, until one has a finding", async () => {
    const { args } = await serveShop(lastWriteWins());
    const { code, stdout } = await runWarmCli(
      ["explore", ...args, "--junit", "all.xml", "--html", "all.html"],
      {
        cwd: folderOf(),
      },
    );
    expect(code).toBe(1);
    expect(stdout.split("\n").slice(0, 8)).toEqual([
      "checkout           25 schedules with 1 deviation   nothing found",
      "late-payment       1 of 16 schedules with 1 deviation   found",
      "expiry-race        Not run, because another story already gave the result.",
      "refused-then-paid  Not run, because another story already gave the result.",
      "twice-paid         Not run, because another story already gave the result.",
      "two-customers      Not run, because another story already gave the result.",
      "rush               Not run, because another story already gave the result.",
      "",
    ]);
    expect(stdout).toContain("A paid order ends up cancelled.");
  });

  it("explore is inconclusive if it cannot play one story, but still plays the others", async () => {
    const { handler, state, reset } = makeShop((event, shop, seen) => {
      if (event.type === "payment.failed") return 400;
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    });
    const survey = await exploreShop({ handler, state, reset }, [
      "checkout",
      "refused-then-paid",
      "expiry-race",
    ]);
    const message = surveyLines(survey, { paint: UNPAINTED, inCode: true }).join("\n");
    expect(message).toMatch(/^checkout +25 schedules with 1 deviation {3}nothing found$/m);
    expect(message).toMatch(/^expiry-race +\d+ schedules with 1 deviation {3}nothing found$/m);
    expect(message).toMatch(/^refused-then-paid +Your handler returned 400 to payment\.failed/m);
    expect(message).toMatch(
      /^Inconclusive: refused-then-paid: Your handler returned 400 to payment\.failed/m,
    );
    // The error that the library throws contains the same text.
    await expect(explore({ subscriber: handler, state, reset, story: "refused-then-paid" })).rejects.toThrow(
      /Your handler returned 400 to payment\.failed/,
    );
  });
});

it("explore presents the calm run's values as the expected ones, and says that they may also be wrong", async () => {
  const folder = folderOf();
  const adding = makeShop((event, shop) => {
    if (!event.isTest) shop.revenue = 0.1 + 0.2 + shop.revenue * 2;
    return undefined;
  });
  const { args } = await serveShop(adding);
  const { code, stdout } = await runWarmCli(["explore", ...args, "--story", "checkout"], { cwd: folder });
  expect(code).toBe(1);
  expect(stdout).toContain("It expects the values of the calm run, in which everything goes well. If those");
  const [, path] = /Saved as (\S+)\.\n/.exec(stdout)!;
  expect(readFileSync(join(folder, path!), "utf8")).toMatch(
    /\n {2}revenue: 0\.900000\d* {2}# when everything goes well; now: /,
  );
});
