import { describe, expect, test } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/explore/explore.ts";
import { remoteSubject } from "../../src/explore/remote.ts";
import { savedScenario } from "../../src/explore/report/scenario.ts";
import { STORIES } from "../../src/explore/stories.ts";
import { apply, correctShop, makeShop, type ShopHandler } from "./handlers.ts";
import { type Overrides, serveShop } from "./server.ts";

/** How late the server is, and how long a state is watched: a fifth of the usual times, in their proportion. */
const LATE_MS = 25;
const QUIET_MS = 100;

async function explore(shop: ShopHandler, overrides?: Overrides, timeout = 1_000) {
  const { url, origin } = await serveShop(shop, overrides);
  const remote = { url, stateUrl: `${origin}/state`, resetBy: `${origin}/reset`, timeout };
  const subject = { ...remoteSubject(remote), quiet: QUIET_MS };
  const story = STORIES.find(({ name }) => name === "checkout")!;
  try {
    return await exploreSubscriber({
      ...{ subject, story, timeout, secret: "whsec_test", deviations: 1, budget: 60_000 },
      ...{ ignore: [], seed: "late", settings: resolveConfig({}, 0) },
    });
  } finally {
    subject.close();
  }
}

describe("a server that works on after its answer", () => {
  test("is right if it is right by then: attempts come when it is done with those before", async () => {
    const { finding, flaky, levels } = await explore(
      makeShop((event, shop, seen) => {
        setTimeout(() => {
          if (event.isTest || seen.has(event.key)) return;
          seen.add(event.key);
          apply(event, shop);
        }, LATE_MS);
        return undefined;
      }),
    );
    expect({ finding, flaky, tried: levels[0]!.tried }).toEqual({ finding: null, flaky: null, tried: 20 });
  });

  test("is found if it does it once for each attempt", async () => {
    const exploration = await explore(
      makeShop((event, shop, seen) => {
        const isNew = !event.isTest && !seen.has(event.key);
        seen.add(event.key);
        if (isNew) apply(event, shop);
        setTimeout(() => {
          shop.revenue += 1;
        }, LATE_MS);
        return undefined;
      }),
    );
    const { finding, calm } = exploration;
    expect(finding?.differences.map(({ path }) => path)).toEqual(["revenue"]);
    expect(finding?.run.schedule).toHaveLength(1);
    // The scenario waits for it, too.
    const [, wait] = /setTimeout\((\d+)\)/.exec(savedScenario(exploration)!.text)!;
    expect(Number(wait)).toBeGreaterThanOrEqual(2 * calm.lag);
  });
});

test("a server that stops answering is not called undeterministic", async () => {
  const silent = explore(correctShop(), { webhooks: (_response, count) => count > 11 }, 250);
  await expect(silent).rejects.toThrow(
    /^The subscriber stopped answering\. .* at \S+ now: it did not answer in time\./,
  );
});
