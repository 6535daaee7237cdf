import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect } from "vitest";
import { DEVIATIONS, deviationOf } from "../../src/trial/schedules/deviations/index.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import type { ExploreOptions } from "../../src/trial/schedules/options.ts";
import { play } from "../../src/trial/schedules/play.ts";
import type { Schedule } from "../../src/trial/schedules/schedule.ts";
import { openStage } from "../../src/trial/schedules/stage.ts";
import { wireRoot } from "../../src/trial/schedules/wire.ts";
import { apply, makeShop, type ShopHandler, subjectOf, usualOptions } from "./handlers.ts";

/** The choices from which a handler is built. */
export interface Bricks {
  seenBy: "nothing" | "delivery id" | "event";
  marks: "before" | "after";
  tests: "ignored" | "counted";
  writes: "at once" | "later";
  needs: "nothing" | "the payment first";
  refusesOld: boolean;
  /** Whether it forgets an event when the second copy arrives and therefore handles the third copy. */
  forgets: boolean;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Builds a handler with a database in memory. It may have bugs. */
export function build({ seenBy, marks, tests, writes, needs, refusesOld, forgets }: Bricks): ShopHandler {
  return makeShop(async (event, shop, seen) => {
    const key = { nothing: "", "delivery id": event.deliveryId, event: event.key }[seenBy];
    if (event.isTest && tests === "ignored") return undefined;
    if (refusesOld && event.sentAt - event.at > 5 * 60_000) return 400;
    if (seen.has(key)) {
      if (forgets) seen.delete(key);
      return undefined;
    }
    if (marks === "before" && key !== "") seen.add(key);
    if (needs === "the payment first" && event.type === "checkout.completed" && !shop.orders[event.order])
      return 409;
    if (writes === "at once") apply(event, shop);
    else {
      const { revenue } = shop;
      await turn();
      apply(event, shop);
      shop.revenue = revenue + (event.type === "payment.completed" ? event.amount : 0);
    }
    if (marks === "after" && key !== "") seen.add(key);
    return undefined;
  });
}

export const optionsFor = (shop: ShopHandler, deviations: number, story = "checkout"): ExploreOptions => ({
  // These handlers finish all work before they respond.
  subject: { ...subjectOf(shop), quiet: 1 },
  ...usualOptions(story, deviations),
});

/**
 * Kinds of deviations that need a server started by explore, a handler that calls the API, or a sender that signs with
 * two secrets. Deviations inside an attempt need SQL statements.
 */
const IMPOSSIBLE: ReadonlySet<string> = new Set([
  "restart",
  "crash",
  "api-429",
  "api-500",
  "api-slow",
  "secret-rotated",
]);
const KINDS = DEVIATIONS.filter((kind) => !IMPOSSIBLE.has(kind) && !deviationOf(kind).isInside);
/** Overlaps with a head start take real time, so explore does not combine them with other deviations. */
const LATER_KINDS = KINDS.filter((kind) => !deviationOf(kind).isAlone);

/**
 * All deviations of one kind at an attempt. If the kind involves a second attempt, there is one deviation for each
 * other attempt at the same instant.
 */
const placesOf = (kind: string, at: number, instants: readonly number[]): Schedule =>
  deviationOf(kind).meets
    ? instants.flatMap((instant, beside) =>
        instant === instants[at] && beside !== at ? { at, kind, beside } : [],
      )
    : [{ at, kind }];

/** The outcome of a schedule for a subscriber that responds in a certain way. */
interface Play {
  calls: Call[];
  /**
   * Whether every event was delivered, whether any was rejected permanently, and the time of each attempt; null for an
   * impossible schedule.
   */
  ended: { delivered: boolean; refused: boolean; instants: number[] } | null;
}

/** A request as it arrived, and the response to it. */
interface Call {
  url: string;
  headers: [string, string][];
  body: string;
  /** The calls that were complete when it arrived. */
  answered: number[];
  status: number;
}

/** Records how a subscriber is called. */
function record(inner: ShopHandler): { shop: ShopHandler; calls: () => Call[] } {
  let calls: Call[] = [];
  let ended: number[] = [];
  const reset = () => {
    [calls, ended] = [[], []];
    inner.reset();
  };
  const handler: ShopHandler["handler"] = async (request) => {
    const index = calls.length;
    const { url } = request;
    const call: Call = { url, headers: [...request.headers], body: "", answered: [...ended], status: 0 };
    calls.push(call);
    const answer = inner.handler(request.clone());
    call.body = await request.text();
    const response = await answer;
    call.status = response.status;
    ended.push(index);
    return response;
  };
  return { shop: { ...inner, reset, handler }, calls: () => calls };
}

/**
 * Calls a subscriber with the calls that were recorded for another one.
 * @returns whether it responded in the same way
 */
async function follows({ handler, reset }: ShopHandler, calls: readonly Call[]): Promise<boolean> {
  reset();
  const answers: Promise<boolean>[] = [];
  for (const { url, headers, body, answered, status } of calls) {
    const before = await Promise.all(answered.map((index) => answers[index]!));
    if (before.includes(false)) return false;
    const request = new Request(url, { method: "POST", headers, body });
    answers.push(Promise.resolve(handler(request)).then((response) => response.status === status));
  }
  return !(await Promise.all(answers)).includes(false);
}

/**
 * The known outcomes of each schedule. Two handlers that respond in the same way share an outcome, because they get the
 * same calls.
 */
const known = new Map<string, Play[]>();

/**
 * Runs every list of deviations, including those that change nothing, on a subscriber in its initial state. The
 * platform runs a list only once for all subscribers that respond in the same way; explore is not involved in finding
 * this out.
 * @returns the smallest number of deviations after which the state differs or an event is rejected in every attempt;
 * null if there is none
 */
export async function bruteForce(
  handler: ShopHandler,
  deviations: number,
  story = "checkout",
): Promise<number | null> {
  const { shop, calls } = record(handler);
  const stage = await openStage(optionsFor(shop, deviations, story), new AbortController().signal);
  try {
    const calm = await play(stage, [], { root: wireRoot() });
    const expected = shop.state();

    /**
     * Runs a schedule, or uses a known outcome. The platform rejects some schedules, such as a retry of an attempt that
     * did not fail.
     */
    async function tried(schedule: Schedule): Promise<Play["ended"]> {
      const name = `${story} ${JSON.stringify(schedule)}`;
      const plays = known.get(name) ?? [];
      for (const one of plays) if (await follows(handler, one.calls)) return one.ended;
      shop.reset();
      const run = await play(stage, schedule, { calm, root: wireRoot() }).catch(() => undefined);
      const ended = run
        ? {
            delivered: run.delivered,
            refused: run.refused.length > 0,
            instants: run.attempts.map(({ at }) => at),
          }
        : null;
      known.set(name, [...plays, { calls: calls(), ended }]);
      return ended;
    }

    let parents: { schedule: Schedule; instants: number[] }[] = [
      { schedule: [], instants: calm.attempts.map(({ at }) => at) },
    ];
    for (let size = 1; size <= deviations; size += 1) {
      const kinds = size === 1 ? KINDS : LATER_KINDS;
      const schedules = parents.flatMap(({ schedule, instants }) =>
        instants
          .map((_, at) => kinds.flatMap((kind) => placesOf(kind, at, instants)))
          .flatMap((all) =>
            all
              // A second endpoint exists from the start.
              .filter(({ at, kind }) => kind !== "second-endpoint" || (at === 0 && schedule.length === 0))
              .filter((next) =>
                schedule.every((one) => one.at < next.at || (one.at === next.at && one.kind !== next.kind)),
              )
              .map((next) => [...schedule, next]),
          ),
      );
      parents = [];
      for (const schedule of schedules) {
        const ended = await tried(schedule);
        if (ended?.refused) return size;
        if (ended?.delivered && !isDeepStrictEqual(handler.state(), expected)) return size;
        if (ended) parents.push({ schedule, instants: ended.instants });
      }
    }
    return null;
  } finally {
    await stage.close();
  }
}

const anyBricks: fc.Arbitrary<Bricks> = fc.record({
  seenBy: fc.constantFrom("event", "delivery id", "nothing"),
  marks: fc.constantFrom("before", "after"),
  tests: fc.constantFrom("ignored", "counted"),
  writes: fc.constantFrom("at once", "later"),
  needs: fc.constantFrom("nothing", "the payment first"),
  refusesOld: fc.constantFrom(false, false, true),
  forgets: fc.boolean(),
});
/**
 * Handlers without a bug. A handler that marks an event as seen and then rejects it temporarily would lose the event.
 */
const correctBricks: fc.Arbitrary<Bricks> = fc
  .constantFrom<Pick<Bricks, "marks" | "needs">>(
    { marks: "before", needs: "nothing" },
    { marks: "after", needs: "nothing" },
    { marks: "after", needs: "the payment first" },
  )
  .map((order) => ({
    ...{ seenBy: "event", tests: "ignored", writes: "at once", refusesOld: false, forgets: false },
    ...order,
  }));
/** At least half of the handlers have no bug. */
const bricks = fc.oneof(correctBricks, anyBricks);

/**
 * Expects explore and a brute-force search to have the same findings with one deviation. `npm run torture -- explore`
 * compares many more cases.
 */
export async function agreeAbout(story: string): Promise<void> {
  await fc.assert(
    fc.asyncProperty(bricks, async (made) => {
      const { finding, flaky } = await exploreSubscriber(optionsFor(build(made), 1, story));
      expect(flaky).toBeNull();
      expect(finding?.run.schedule.length ?? null).toBe(await bruteForce(build(made), 1, story));
    }),
    { numRuns: 6 },
  );
}
