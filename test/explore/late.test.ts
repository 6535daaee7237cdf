import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { listenForTest } from "../support/listen.ts";
import { apply, makeShop } from "./handlers.ts";
import { explore } from "./late.ts";

/** How late the server acts, and how long its state is watched: both are a fifth of the usual times. */
const LATE_MS = 25;
/** How long a worker takes to process an event. */
const WORK_MS = 20;

describe("a server that keeps working after its response", () => {
  test("explore waits for work done after the response, and passes a server whose final state is correct", async () => {
    const { finding, flaky, levels, resets } = await explore(
      makeShop((event, shop, seen) => {
        setTimeout(() => {
          if (event.isTest || seen.has(event.key)) return;
          seen.add(event.key);
          apply(event, shop);
        }, LATE_MS);
        return undefined;
      }),
    );
    expect({ finding, flaky, tried: levels[0]!.tried }).toEqual({ finding: null, flaky: null, tried: 25 });
    // The server is reset before the story, after it, and before each run. The calm run is repeated.
    expect(resets).toBe(2 + 2 + 25);
  });

  test("explore finds a server that repeats its deferred work for each attempt", async () => {
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
    const { finding } = exploration;
    expect(finding?.differences.map(({ path }) => path)).toEqual(["revenue"]);
    expect(finding?.run.schedule).toHaveLength(1);
  });
});

test("explore waits only until a server reports that it is idle", async () => {
  let open = 0;
  const worker = makeShop((event, shop, seen) => {
    open += 1;
    setTimeout(() => {
      open -= 1;
      if (event.isTest || seen.has(event.key)) return;
      seen.add(event.key);
      apply(event, shop);
    }, WORK_MS);
    return undefined;
  });
  const idle = createServer((_request, response) => response.writeHead(open === 0 ? 204 : 503).end());
  const idleUrl = `http://127.0.0.1:${await listenForTest(idle)}`;
  const { finding, levels, calm } = await explore(worker, {}, 1_000, idleUrl);
  expect({ finding, tried: levels[0]!.tried, lag: calm.lag }).toEqual({ finding: null, tried: 25, lag: 0 });
  idle.close();
  idle.closeAllConnections();
  await expect(explore(worker, {}, 1_000, idleUrl)).rejects.toThrow(
    /^The idle URL .* refused the connection/,
  );
});
