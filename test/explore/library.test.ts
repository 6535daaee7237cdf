import { describe, expect, it } from "vitest";
import { explore, SandboxError } from "../../src/index.ts";
import { runChild } from "../support/child.ts";
import { correctShop, readEvent, repeatingShop, type ShopHandler } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** The library from the build. */
const LIBRARY = new URL("../../dist/index.js", import.meta.url).href;

const optionsOf = ({ handler, state, reset }: ShopHandler) => ({
  ...{ subscriber: handler, state, reset },
  story: "checkout",
});

describe("the library's explore()", () => {
  it("explore() returns no failure for a correct function", async () => {
    const found = await explore({ ...optionsOf(correctShop()), deviations: 2 });
    const { schedules, compared, covered, failure, verdict } = found;
    expect(failure?.story).toBeUndefined();
    expect({ verdict, compared }).toEqual({ verdict: "nothing_found", compared: schedules });
    expect(schedules).toBe(covered.reduce((sum, { tried }) => sum + tried, 0));
    expect(covered.map((level) => level.tried === level.schedules)).toEqual([true, true]);
  });

  it("explore() describes the first schedule that breaks a handler in readable text", async () => {
    const { failure, covered } = await explore({ ...optionsOf(repeatingShop()), deviations: 2 });
    expect(failure).toMatchObject({
      deviations: [{ attempt: 1, kind: "answer-lost" }],
      differences: [{ path: "orders.order-7.payments", expected: 1, actual: 2 }, { path: "revenue" }],
      invariant: null,
    });
    expect(failure?.story).toMatch(/payment\.completed +attempt 1 .*response/);
    expect(covered[1]).toEqual({ story: "checkout", deviations: 2, schedules: null, tried: 0, compared: 0 });
    expect([failure?.runs, failure?.wrong]).toEqual([4, 4]);
  });

  it.each(["http://", ""])("explore() accepts a server's URL with the prefix %j", async (scheme) => {
    const { url, args } = await serveShop(repeatingShop());
    const [subscriber, state, reset] = [url, args[4]!, args[6]!].map((one) => one.replace("http://", scheme));
    const { failure } = await explore({
      ...{ subscriber: subscriber!, state: state!, reset: reset!, secret: "whsec_test", story: "checkout" },
    });
    expect(failure?.deviations).toEqual([{ attempt: 1, kind: "answer-lost" }]);
  });

  it("explore() checks an invariant", async () => {
    const { failure } = await explore({
      ...optionsOf(repeatingShop()),
      ignore: ["*"],
      invariant: ({ revenue }, { events, deliveries }) => {
        const paid = events.filter(({ type, test }) => type === "payment.completed" && !test).length;
        if (revenue > 2_500_000 * paid) throw new Error(`earned ${revenue} in ${deliveries.length} attempts`);
      },
    });
    expect(failure).toMatchObject({ differences: [], invariant: "earned 5000000 in 3 attempts" });
  });

  it("explore() treats an invariant that returns false as violated", async () => {
    const invariant = (state: { revenue: number }) => state.revenue <= 2_500_000;
    const { failure } = await explore({ ...optionsOf(repeatingShop()), ignore: ["*"], invariant });
    expect(failure?.invariant).toBe("The invariant returned false.");
  });

  it.each<[when: string, requests: number]>([
    ["during the first level, which leaves the result inconclusive", 20],
    ["later and returns what was covered until then", 300],
  ])("an abort signal stops explore() %s", async (_when, most) => {
    const { handler, state, reset } = correctShop();
    const end = new AbortController();
    let requests = 0;
    const exploring = explore({
      ...{ story: "checkout", state, reset, signal: end.signal },
      subscriber: (request) => {
        requests += 1;
        if (requests === most) end.abort();
        return handler(request as Request);
      },
    });
    const { verdict, failure, covered } = await exploring;
    if (most < 300) {
      expect(verdict).toBe("inconclusive");
      expect(failure?.story).toMatch(/Inconclusive: It was cancelled before all schedules with 1 dev/);
    } else {
      expect(failure).toBeNull();
      expect(covered[0]!.tried).toBe(covered[0]!.schedules);
      expect(covered.some(({ schedules, tried }) => schedules === null || tried < schedules)).toBe(true);
    }
  });

  it.each<[what: string, change: object, code: string, message: RegExp]>([
    ["an empty subscriber", { subscriber: "" }, "bad_request", /explore needs subscriber/],
    [
      "a subscriber that is not a URL",
      { subscriber: "shop" },
      "bad_request",
      /subscriber must be .*, not "shop"/,
    ],
    ["an unknown option", { deviation: 2 }, "bad_request", /no option deviation\./],
    [
      "an ignore option that is not a list",
      { ignore: "a" },
      "bad_request",
      /ignore must be a list of .*, not "a"/,
    ],
    [
      "a path that is too long",
      { ignore: ["*a".repeat(101)] },
      "bad_request",
      /has 202 characters; it can have at most 200/,
    ],
    ["a path that is not a string", { ignore: [5] }, "bad_request", /ignore must list paths .*, not 5/],
    ["a seed that is not a string", { seed: 5 }, "bad_request", /seed must be a non-empty string, not 5/],
    ["an unknown story", { story: "tea" }, "not_found", /no story or scenario 'tea'/],
    ["too many deviations", { deviations: 10 }, "bad_request", /from 1 to 9, not 10/],
    ["zero deviations", { deviations: 0 }, "bad_request", /from 1 to 9, not 0/],
    ["a budget of zero", { budget: 0 }, "bad_request", /budget must be longer than 0/],
    [
      "an invariant that is not a function",
      { invariant: true },
      "bad_request",
      /invariant must be a function/,
    ],
    [
      "a subscriber that throws",
      { subscriber: () => Promise.reject(new Error("no database")) },
      "unreachable",
      /^Your handler threw no database for every valid event\./,
    ],
    ["a state that is a changing number", { state: Math.random }, "invalid_state", /whole state/],
    [
      "a state that changes without an event",
      { state: () => ({ at: Math.random() }) },
      "invalid_state",
      /changes even without events: in two reads before the first event, at was 0\.\d+, then 0/,
    ],
    [
      "a state that no event changes",
      { state: () => ({ version: 1 }) },
      "invalid_state",
      /^Nothing changed in what state\(\) returns: your handler returned 200 to every valid event\./,
    ],
    [
      "a state that was not returned",
      { state: () => undefined },
      "bad_request",
      /state\(\) returned undefined/,
    ],
    [
      "a state that is not JSON",
      { state: () => ({ revenue: 1n }) },
      "bad_request",
      /JSON cannot represent: .*BigInt/,
    ],
    [
      "a state that was not awaited",
      { state: () => ({ orders: Promise.resolve([]) }) },
      "bad_request",
      /state\(\) returned a Promise in orders/,
    ],
    [
      "a handler that returns no response",
      { subscriber: () => undefined },
      "unreachable",
      /^Your handler returned undefined, not a Response for every valid event\./,
    ],
    [
      "a reset that does not change the state",
      { reset: () => undefined },
      "invalid_state",
      /before the story, orders\.order-7 was nothing; after the story and a reset, it is \{"status":"paid"/,
    ],
    ["a secret that is not a string", { secret: 5 }, "bad_request", /secret must be a string, not 5/],
    ["an invalid abort signal", { signal: {} }, "bad_request", /signal must be an AbortSignal, not \{\}/],
  ])("explore() rejects %s", async (_what, change, code, message) => {
    const refused = await explore({ ...optionsOf(correctShop()), ...change }).catch((error) => error);
    expect(refused).toBeInstanceOf(SandboxError);
    expect({ code: refused.code, message: refused.message }).toEqual({
      code,
      message: expect.stringMatching(message),
    });
  });

  it.each<[option: string, value: unknown]>([
    ["seed", ""],
    ["deviations", 10],
    ["apiPort", 0],
    ["budget", "0s"],
    ["state", undefined],
  ])("explore() names the option %s when it rejects %j", async (option, value) => {
    const refused = await explore({ ...optionsOf(correctShop()), [option]: value }).catch((error) => error);
    expect(refused).toMatchObject({ code: "bad_request", param: option });
    expect(refused.message).toContain(option);
  });

  it("explore() calls a subscriber function with signed requests", async () => {
    const seen: string[] = [];
    let received = false;
    await explore({
      subscriber: (request) => {
        seen.push(`${request.method} ${request.headers.get("x-platform-signature")?.length}`);
        received = true;
        return new Response();
      },
      state: () => ({ received }),
      reset: () => {
        received = false;
      },
      ...{ story: "checkout", deviations: 1 },
    });
    expect(new Set(seen)).toEqual(new Set(["POST 64"]));
  });

  it("explore() compares Sets and Maps regardless of insertion order", async () => {
    const seen = new Set<string>();
    const orders = new Map<{ order: string }, Set<string>>();
    const { failure } = await explore({
      subscriber: async (request) => {
        const { key, isTest } = await readEvent(request as Request);
        if (isTest) return { status: 200 };
        seen.add(key);
        if (![...orders.values()].some((keys) => keys.has(key))) orders.set({ order: key }, new Set([key]));
        return { status: 200 };
      },
      state: () => ({ seen, orders }),
      reset() {
        seen.clear();
        orders.clear();
      },
      ...{ story: "checkout", deviations: 1 },
    });
    expect(failure?.story).toBeUndefined();
  });

  it("explore() finds a difference inside a Map", async () => {
    const orders = new Map<string, string>();
    const paid = new Set<string>();
    const { failure } = await explore({
      story: "late-payment",
      subscriber: async (request) => {
        const { type, order, isTest } = await readEvent(request as Request);
        if (!isTest) orders.set(order, type === "payment.completed" ? "paid" : "cancelled");
        if (type === "payment.completed" && !isTest) paid.add(order);
        return { status: 200 };
      },
      state: () => ({ orders, paid }),
      reset() {
        orders.clear();
        paid.clear();
      },
    });
    expect(failure?.differences).toEqual([{ path: "orders.order-7", expected: "paid", actual: "cancelled" }]);
  });

  it.each([
    ["during the calm run", 0, "The budget of 300 ms ran out before the calm run ended"],
    ["before all schedules with one deviation are tried", 30, "budget"],
  ])(
    "explore() returns an inconclusive result, which fails a test, if the budget runs out %s",
    async (_when, answers, words) => {
      const { handler, state, reset } = correctShop();
      let count = 0;
      const result = await explore({
        ...{ state, reset, story: "checkout", budget: "300ms" },
        subscriber: (request) => {
          count += 1;
          return count > answers ? new Promise<never>(() => undefined) : handler(request as Request);
        },
      });
      expect(result).toMatchObject({ verdict: "inconclusive", failure: { deviations: [], differences: [] } });
      expect(result.failure!.story).toContain(words);
      expect(result.failure!.story).not.toContain("--");
    },
  );

  it("explore() keeps the process alive while it waits for a response that never arrives", async () => {
    const script = `import { explore } from ${JSON.stringify(LIBRARY)};
       await explore({ subscriber: () => new Promise(() => {}), state: () => ({}), reset() {}, timeout: "50ms" })
         .catch((error) => console.log(error.message));`;
    const { stdout } = await runChild(process.execPath, ["--input-type=module", "-e", script]);
    expect(stdout).toContain("does not accept payment.completed");
  });
});
