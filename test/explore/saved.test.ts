import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { writeScenario } from "../../src/trial/findings/scenario.ts";
import { STORY_CODE } from "../../src/trial/findings/story-code.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import type { DeviationKind, Schedule } from "../../src/trial/schedules/schedule.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { startBuiltProcess } from "../support/built.ts";
import { clientOf } from "../support/sandbox.ts";
import { runToEnd, sharedFolder } from "../support/scenarios.ts";
import type { SharedSandbox } from "../support/shared.ts";
import { apply, makeShop, type ShopHandler } from "./handlers.ts";

const SECRET = "whsec_saved";
const MINUTES = 60_000;

const correct = () =>
  makeShop((event, shop, seen) => {
    if (event.isTest || seen.has(event.key)) return undefined;
    seen.add(event.key);
    apply(event, shop);
    return undefined;
  });

/** Tells copies by the delivery id alone: that of another endpoint has another one. */
const byDeliveryId = () =>
  makeShop((event, shop, seen) => {
    if (event.isTest || seen.has(event.deliveryId)) return undefined;
    seen.add(event.deliveryId);
    apply(event, shop);
    return undefined;
  });

/** A bug that only one kind of deviation shows, or the first that shows it. */
const BUGS: Record<
  string,
  { story: string; schedule: string; make: () => ShopHandler; fixed?: () => ShopHandler }
> = {
  lost: {
    story: "late-payment",
    schedule: "0 lost",
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        if (event.type === "checkout.expired") shop.orders[event.order]!.status = "cancelled";
        return undefined;
      }),
  },
  "answer-lost": {
    story: "checkout",
    schedule: "0 answer-lost",
    make: () =>
      makeShop((event, shop) => {
        if (!event.isTest) apply(event, shop);
        return undefined;
      }),
  },
  resend: {
    story: "checkout",
    schedule: "0 resend",
    make: () => {
      const deliveries = new Map<object, Set<string>>();
      return makeShop((event, shop, seen) => {
        const received = deliveries.get(seen) ?? new Set();
        deliveries.set(seen, received);
        if (received.has(event.deliveryId)) shop.revenue += 1;
        received.add(event.deliveryId);
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        return undefined;
      });
    },
  },
  overlap: {
    story: "checkout",
    schedule: "0 overlap",
    make: () =>
      makeShop(async (event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        const { revenue } = shop;
        await wait(50);
        shop.revenue = revenue + 1;
        return undefined;
      }),
    fixed: () =>
      makeShop(async (event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        await wait(50);
        shop.revenue += 1;
        return undefined;
      }),
  },
  slow: {
    story: "checkout",
    schedule: "1 slow",
    make: () =>
      makeShop(async (event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        if (event.type === "checkout.completed") {
          await wait(50);
          shop.revenue += 1;
        }
        seen.add(event.key);
        apply(event, shop);
        return undefined;
      }),
    fixed: () =>
      makeShop(async (event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        if (event.type === "checkout.completed") {
          await wait(50);
          shop.revenue += 1;
        }
        apply(event, shop);
        return undefined;
      }),
  },
  "manual-retry": {
    story: "checkout",
    schedule: "0 answer-lost, 0 manual-retry",
    make: () => {
      const times = new Map<object, Map<string, number>>();
      return makeShop((event, shop, seen) => {
        const sent = times.get(seen) ?? new Map<string, number>();
        times.set(seen, sent);
        const again = sent.get(event.key) === event.sentAt && !seen.has(event.deliveryId);
        sent.set(event.key, event.sentAt);
        seen.add(event.deliveryId);
        if (event.isTest || (seen.has(event.key) && !again)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        return undefined;
      });
    },
  },
  "manual-resend": {
    story: "twice-paid",
    schedule: "0 manual-resend",
    make: () =>
      makeShop((event, shop) => {
        if (!event.isTest) apply(event, shop);
        return undefined;
      }),
  },
  timeout: {
    story: "two-customers",
    schedule: "0 timeout",
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        if (event.sentAt > event.at) shop.revenue += 1;
        return undefined;
      }),
  },
  test: {
    story: "checkout",
    schedule: "1 test",
    make: () =>
      makeShop((event, shop, seen) => {
        if (seen.has(event.key)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        return undefined;
      }),
  },
  outage: {
    story: "checkout",
    schedule: "0 outage",
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        if (event.sentAt - event.at > 5 * MINUTES) return 400;
        seen.add(event.key);
        apply(event, shop);
        return undefined;
      }),
  },
  "second-endpoint": {
    story: "checkout",
    schedule: "0 second-endpoint",
    make: byDeliveryId,
  },
  "second-endpoint and a retry by hand": {
    story: "checkout",
    schedule: "0 second-endpoint, 1 lost, 1 manual-retry",
    make: byDeliveryId,
  },
  "second-endpoint and outage": {
    story: "checkout",
    schedule: "0 second-endpoint, 1 outage",
    make: byDeliveryId,
  },
  "two deviations": {
    story: "refused-then-paid",
    schedule: "0 lost, 1 lost",
    make: () =>
      makeShop((event, shop, seen) => {
        if (event.isTest || seen.has(event.key)) return undefined;
        seen.add(event.key);
        apply(event, shop);
        const arrived = [...seen].map((key) => key.split(" ")[0]).join(" ");
        if (arrived === "checkout.completed payment.failed payment.completed") shop.revenue += 1;
        return undefined;
      }),
  },
};

/** A server whose handler can be replaced. */
async function startShop() {
  let shop = correct();
  const server = createServer(async (request, response) => {
    if (request.url === "/state") return response.end(JSON.stringify(shop.state()));
    if (request.url === "/reset") {
      shop.reset();
      return response.end();
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { status } = await shop.handler(
      new Request("http://127.0.0.1/webhooks", {
        method: "POST",
        headers: Object.entries(request.headers) as [string, string][],
        body: Buffer.concat(chunks),
      }),
    );
    return response.writeHead(status).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    use(make: () => ShopHandler) {
      shop = make();
    },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const folder = sharedFolder({ "scenarios/_none.ts": "" });
const sandbox = {} as SharedSandbox;
let shop: Awaited<ReturnType<typeof startShop>>;
let endServer = () => {};
afterAll(() => {
  endServer();
  shop.close();
});
beforeAll(async () => {
  shop = await startShop();
  const ending = (end: () => void) => {
    endServer = end;
  };
  const { url } = await startBuiltProcess(["--port", "0", "--seed", "empty"], { cwd: folder, ending });
  Object.assign(sandbox, clientOf(url));
});

function exploreShop({ story, schedule }: { story: string; schedule: string }) {
  return exploreSubscriber({
    subject: {
      ...remoteSubject({
        url: `${shop.url}/webhooks`,
        stateUrl: `${shop.url}/state`,
        resetBy: `${shop.url}/reset`,
        timeout: 30_000,
      }),
      // It has done all that it does when it answers.
      quiet: 1,
    },
    story: STORIES.find(({ name }) => name === story)!,
    secret: SECRET,
    deviations: 1,
    only: scheduleOf(schedule),
    budget: 60_000,
    timeout: 30_000,
    ignore: [],
    seed: "explore",
    settings: resolveConfig({}, 0),
  });
}

const scheduleOf = (text: string): Schedule =>
  text.split(", ").map((one) => {
    const [at, kind] = one.split(" ");
    return { at: Number(at), kind: kind as DeviationKind };
  });

async function playSaved(path: string) {
  const { report } = await runToEnd(sandbox, basename(path, ".ts"), {
    subscriber: `${shop.url}/webhooks`,
    secret: SECRET,
  });
  return report;
}

it("every shipped story can be saved", () => {
  expect(Object.keys(STORY_CODE)).toEqual(STORIES.map(({ name }) => name));
});

describe("a saved scenario", () => {
  it.each(Object.keys(BUGS))("of %s fails with the bug, and passes without it", async (kind) => {
    const { make, fixed = correct } = BUGS[kind]!;
    shop.use(make);
    const exploration = await exploreShop(BUGS[kind]!);
    const path = writeScenario(join(folder, "scenarios"), exploration);
    const broken = await playSaved(path);
    expect(broken).toMatchObject({ status: "failed", failure: { code: "expectation" } });
    shop.use(fixed);
    const { status, failure } = await playSaved(path);
    expect([status, failure]).toEqual(["passed", null]);
  });
});
