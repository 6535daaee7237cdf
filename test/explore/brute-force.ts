import type { ExploreOptions } from "../../src/explore/options.ts";
import { play } from "../../src/explore/play.ts";
import { DEVIATIONS, type DeviationKind, HEAD_STARTS, type Schedule } from "../../src/explore/schedule.ts";
import { openStage } from "../../src/explore/stage.ts";
import { wireRoot } from "../../src/explore/wire.ts";
import { apply, makeShop, type ShopHandler, usualOptions } from "./handlers.ts";

/** What a handler is made of. */
export interface Bricks {
  seenBy: "nothing" | "delivery id" | "event";
  marks: "before" | "after";
  tests: "ignored" | "counted";
  writes: "at once" | "later";
  needs: "nothing" | "the payment first";
  refusesOld: boolean;
  /** Whether it forgets an event at the second copy, and handles the third one. */
  forgets: boolean;
}

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** A handler with a database in memory, which may have bugs. */
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

export function optionsFor({ handler, reset, state }: ShopHandler, deviations: number): ExploreOptions {
  return {
    subject: {
      ...{ url: "http://subscriber.localhost/webhooks", handler, stateUrl: null, resetBy: null },
      reset: async () => reset(),
      state: async () => state(),
      close: () => undefined,
      // They have done all that they do when they answer.
      quiet: 1,
    },
    ...usualOptions("checkout", deviations),
  };
}

/** They need a server that explore has started, or a handler that calls the API: these handlers are functions and do not. */
const IMPOSSIBLE: ReadonlySet<DeviationKind> = new Set([
  "restart",
  "crash",
  "api-429",
  "api-500",
  "api-slow",
]);
const KINDS = DEVIATIONS.filter((kind) => !IMPOSSIBLE.has(kind));
/** An overlap with a head start takes real time, so explore tries it alone. */
const LATER_KINDS = KINDS.filter((kind) => !HEAD_STARTS[kind]);

/**
 * Plays every list of deviations, also those that change nothing, each on a subscriber of which nothing is known.
 * @returns the least number of deviations after which the state is another one; null if there is none
 */
export async function bruteForce(options: ExploreOptions): Promise<number | null> {
  const { stage, close } = await openStage(options, new AbortController().signal);
  try {
    const { run: calm } = await play(stage, [], { root: wireRoot() });
    let parents: { schedule: Schedule; attempts: number }[] = [
      { schedule: [], attempts: calm.attempts.length },
    ];
    for (let size = 1; size <= options.deviations; size += 1) {
      const kinds = size === 1 ? KINDS : LATER_KINDS;
      const schedules = parents.flatMap(({ schedule, attempts }) =>
        Array.from({ length: attempts }, (_, at) => kinds.map((kind) => ({ at, kind }))).flatMap((all) =>
          all
            .filter((next) =>
              schedule.every((one) => one.at < next.at || (one.at === next.at && one.kind !== next.kind)),
            )
            .map((next) => [...schedule, next]),
        ),
      );
      parents = [];
      for (const schedule of schedules) {
        // The platform refuses to retry what did not fail.
        const run = (await play(stage, schedule, { calm, root: wireRoot() }).catch(() => undefined))?.run;
        if (run?.delivered && JSON.stringify(run.state) !== JSON.stringify(calm.state)) return size;
        if (run) parents.push({ schedule, attempts: run.attempts.length });
      }
    }
    return null;
  } finally {
    await close();
  }
}
