import { expect, test } from "vitest";
import type { TestSandbox } from "../support/sandbox.ts";
import { startSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { seconds, startShop, withoutWallTime } from "../support/webhooks.ts";

const THREE_HOURS = 3 * 60 * 60 * 1_000;

/** Different ways to advance the clock by three hours. */
const ways: Record<string, (sandbox: TestSandbox) => Promise<void>> = {
  "odd steps": async (sandbox) => {
    let left = THREE_HOURS;
    for (let index = 0; left > 0; index += 1) {
      const by = Math.min(left, [1, 30_000, 37_013, 59_999, 250_007][index % 5]!);
      await sandbox.advance(by);
      left -= by;
    }
  },
  "steps from timer to timer": async (sandbox) => {
    const { body: clock } = await sandbox.control("GET", "/clock");
    const end = Date.parse(clock.now) + THREE_HOURS;
    for (;;) {
      const { would_fire: due } = await sandbox.advance({ to: end, dryRun: true });
      if (due.length === 0) break;
      await sandbox.advance({ until: "next" });
    }
    await sandbox.advance({ to: end });
  },
};

/** How the subscriber behaves, apart from any fault that is set. */
interface Behaviour {
  hangs?: boolean;
  status?: number;
  fault?: Record<string, unknown>;
}
const subscribers: Record<string, Behaviour> = {
  "that returns 500": { status: 500 },
  "that never responds": { hangs: true },
  "with a seeded fault": { status: 200, fault: { kind: "status", status: 503, rate: 0.7 } },
  "with simulated timeouts": { status: 200, fault: { sequence: ["timeout", 500, "timeout", 200, "reset"] } },
};

/** Everything in a world that depends on virtual time and the seed, after three hours have passed. */
async function live(url: string, { hangs, fault }: Behaviour, move: (s: TestSandbox) => Promise<void>) {
  const sandbox = await startSandbox({ ...(hangs ? { settleTimeout: 50 } : {}) });
  const one = await startShop(sandbox, url);
  const all = await startShop(sandbox, url, { events: ["*"] });
  if (fault) {
    await one.fault(fault);
    await all.fault(fault);
  }
  for (const wait of [0, 1_000, 0]) {
    await one.pay();
    await sandbox.advance(wait);
  }
  await sandbox.openSession({ expires_in: 600 });
  await move(sandbox);
  const shops = [one, all];
  return withoutWallTime({
    deliveries: await Promise.all(shops.map(({ webhook }) => sandbox.deliveries(webhook.id))),
    timelines: await Promise.all(shops.map((shop) => shop.timeline())),
    journal: await sandbox.journal(),
    mail: await sandbox.mail(),
    clock: (await sandbox.control("GET", "/clock")).body,
  });
}

test.each(Object.entries(subscribers))(
  "a single advance of 3 h has the same result as many small ones for a subscriber %s",
  async (_who, behaviour) => {
    const subscriber = await startSubscriber((_received, response) => {
      if (behaviour.hangs) return;
      response.sendDate = false;
      response.writeHead(behaviour.status!).end();
    });
    const requests = () =>
      subscriber.received
        .splice(0)
        .map(({ method, path, headers, body }) => JSON.stringify([method, path, headers, body]))
        .sort();
    const jumped = await live(
      subscriber.url,
      behaviour,
      async (sandbox) => void (await sandbox.advance("3h")),
    );
    const jumpedRequests = requests();
    for (const [way, move] of Object.entries(ways)) {
      const stepped = await live(subscriber.url, behaviour, move);
      expect(stepped, way).toEqual(jumped);
      expect(JSON.stringify(stepped), way).toBe(JSON.stringify(jumped));
      const steppedRequests = requests();
      // If the subscriber does not respond, a request may be aborted in real time before it arrives.
      if (!behaviour.hangs) expect(steppedRequests, way).toEqual(jumpedRequests);
    }
  },
);

test("two worlds with the same seed generate the same secrets and signed requests", async () => {
  const subscriber = await startSubscriber(200);
  const run = async () => {
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.pay();
    return { secret: shop.webhook.secret, request: subscriber.received.pop()! };
  };
  const [first, second] = [await run(), await run()];
  expect(second).toEqual(first);
  expect(seconds(String(first.request.headers["x-platform-timestamp"]))).toBe(0);
});
