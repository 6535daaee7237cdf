import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHeldSubscriber, withoutWallTime } from "../support/webhooks.ts";

/**
 * What an endpoint's server does with each request. A slow server responds after all those that respond immediately.
 */
const BEHAVIOURS = ["answer", "fail", "reset", "slow", "slow to fail", "inbox", "hang"] as const;
type Behaviour = (typeof BEHAVIOURS)[number];
const FAILS: readonly Behaviour[] = ["fail", "reset", "slow to fail"];

/** The endpoints of a world, and the order in which their servers respond in each of two runs. */
interface Program {
  endpoints: Behaviour[];
  orders: [number[], number[]];
}

const program: fc.Arbitrary<Program> = fc
  .array(fc.constantFrom(...BEHAVIOURS, "hang" as const), { minLength: 2, maxLength: 5, size: "max" })
  .chain((endpoints) => {
    const indexes = endpoints.map((_, index) => index);
    const order = fc.shuffledSubarray(indexes, { minLength: indexes.length });
    return fc.record({ endpoints: fc.constant(endpoints), orders: fc.tuple(order, order) });
  });

const PROGRAMS = 5;
/** A wait that is much longer than a response takes on a busy machine. All programs wait for this at the same time. */
const SETTLE_TIMEOUT = "4s";

function end(response: ServerResponse, behaviour: Behaviour): Promise<void> {
  return new Promise((resolve) => {
    response.once("close", resolve);
    if (behaviour === "reset") response.socket!.resetAndDestroy();
    else response.writeHead(behaviour.endsWith("fail") ? 500 : 200).end();
  });
}

/**
 * Starts servers for endpoints. Once all servers of a round have received their requests, they respond in the given
 * order.
 */
async function startServers(endpoints: Behaviour[], order: number[]) {
  const open = new Map<number, ServerResponse>();
  const { url } = await startSubscriber((received, response) => {
    response.sendDate = false;
    open.set(Number(received.path.split("/").at(-1)), response);
    waiting?.();
  });
  let waiting: (() => void) | undefined;
  return {
    urlOf: (index: number) => `${url}/${index}`,
    /** Resolves when all endpoints that `takes` selects have received their response. */
    async answer(takes: (behaviour: Behaviour) => boolean): Promise<void> {
      const asked = order.filter((index) => endpoints[index] !== "inbox" && takes(endpoints[index]!));
      const missing = () => asked.some((index) => !open.has(index));
      await new Promise<void>((resolve) => {
        waiting = () => {
          if (!missing()) resolve();
        };
        waiting();
      });
      const quick = asked.filter((index) => !endpoints[index]!.startsWith("slow"));
      const slow = asked.filter((index) => endpoints[index]!.startsWith("slow"));
      for (const index of [...quick, ...slow]) {
        if (endpoints[index] === "hang") continue;
        await end(open.get(index)!, endpoints[index]!);
        // The sandbox must read this response before the next one is sent.
        await setImmediate();
      }
      open.clear();
    },
  };
}

/** Everything that a program can read, without values that depend on the machine or on real time. */
async function readAll(sandbox: TestSandbox, ids: string[]): Promise<Json> {
  const get = async (path: string) => (await sandbox.control("GET", path)).body;
  const read = {
    timelines: await Promise.all(ids.map((id) => sandbox.timeline(id))),
    deliveries: await Promise.all(ids.map((id) => sandbox.deliveries(id))),
    journal: await sandbox.journal(),
    inboxes: await get("/inbox"),
    messages: await Promise.all(ids.map((_, index) => get(`/inbox/${index}`))),
    webhooks: await get("/webhooks"),
    clock: await get("/clock"),
  };
  return read;
}

/**
 * Only one program at a time has open requests that get a response, so each response arrives in time even on a busy
 * machine.
 */
let turn: Promise<unknown> = Promise.resolve();
function inTurn<T>(work: () => Promise<T>): Promise<T> {
  const result = turn.then(work);
  turn = result.catch(() => undefined);
  return result;
}

async function play({ endpoints, orders }: Program, run: 0 | 1) {
  const servers = await startServers(endpoints, orders[run]);
  const sandbox = await startSandbox({ settleTimeout: SETTLE_TIMEOUT });
  const ids: string[] = [];
  for (const [index, behaviour] of endpoints.entries()) {
    const url = behaviour === "inbox" ? `${sandbox.url}/_sandbox/inbox/${index}` : servers.urlOf(index);
    ids.push((await sandbox.createWebhook(url, { events: ["payment.completed"] })).id);
  }
  const link = await sandbox.createLink();
  let paying: Promise<Json>;
  await inTurn(async () => {
    paying = sandbox.pay({ payment_link_id: link.id });
    await servers.answer(() => true);
  });
  const paid = await paying!;
  const read = [await readAll(sandbox, ids)];
  await inTurn(async () => {
    // A hanging endpoint times out at 30 s, and is not called again before 90 s.
    const advancing = sandbox.advance("65s");
    await servers.answer((behaviour) => FAILS.includes(behaviour));
    read.push(await advancing);
  });
  read.push(await readAll(sandbox, ids));
  const text = JSON.stringify(withoutWallTime({ paid, read }, "wall_ms", "date"));
  return JSON.parse(text.replaceAll(/127\.0\.0\.1:\d+/g, "host"));
}

test("two identical runs have matching results regardless of the order of the responses, and a hanging endpoint does not affect any other", async () => {
  const programs = fc.sample(program, PROGRAMS);
  // Whatever programs are generated, make sure that one of them contains the most important cases.
  programs[0] = {
    endpoints: ["hang", "answer", "fail", "slow to fail", "inbox", "inbox"],
    orders: [
      [0, 1, 2, 3, 4, 5],
      [5, 4, 3, 2, 1, 0],
    ],
  };
  const met = { beside: 0, inOtherOrder: 0 };
  await Promise.all(
    programs.map(async (one) => {
      const { endpoints, orders } = one;
      const [first, second] = await Promise.all([play(one, 0), play(one, 1)]);
      const context = JSON.stringify(one);
      expect(second, context).toEqual(first);
      const [read] = first.read;
      for (const [index, { id }] of read.webhooks.data.entries()) {
        const behaviour = endpoints[index]!;
        const delivery = first.paid.deliveries.find((own: Json) => own.webhook_id === id);
        expect(delivery.completed_at === null, `${behaviour} in ${context}`).toBe(behaviour === "hang");
        const status = behaviour === "hang" ? "pending" : FAILS.includes(behaviour) ? "failed" : "success";
        expect(delivery.status, `${behaviour} in ${context}`).toBe(status);
        expect(read.timelines[index].attempts[0].status, `${behaviour} in ${context}`).toBe(status);
      }
      const healthy = endpoints.some((behaviour) => behaviour !== "hang");
      if (healthy && endpoints.includes("hang")) met.beside += 1;
      if (orders[0].join() !== orders[1].join()) met.inOtherOrder += 1;
    }),
  );
  console.info(
    `Of ${PROGRAMS} programs, ${met.beside} had a healthy endpoint beside a hanging one, and ${met.inOtherOrder} were answered in another order.`,
  );
  expect(met.beside).toBeGreaterThan(0);
  expect(met.inOtherOrder).toBeGreaterThan(0);
});

test("a delivery shows its response immediately, even while another endpoint's request is still open", async () => {
  const sandbox = await startSandbox();
  const held = await startHeldSubscriber();
  const failing = await startSubscriber(500);
  const open = await sandbox.createWebhook(held.url, { events: ["payment.completed"] });
  const answered = await sandbox.createWebhook(failing.url, { events: ["payment.completed"] });
  const paying = sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  const latest = async () => (await sandbox.timeline(answered.id)).attempts[0];
  await expect.poll(latest).toMatchObject({ status: "failed", response_code: 500 });
  expect(await sandbox.deliveries(answered.id)).toMatchObject([{ status: "failed", completed_at: null }]);
  expect(await sandbox.journal("delivery.failed")).toEqual([]);

  await held.arrived(1);
  held.open[0]!.answer(200);
  const { deliveries } = await paying;
  const statusOf = (webhook: Json) => deliveries.find((one: Json) => one.webhook_id === webhook.id).status;
  expect([statusOf(open), statusOf(answered)]).toEqual(["success", "failed"]);
  const results = await sandbox.journal("delivery.succeeded,delivery.failed");
  expect(results.map(({ data }) => data.webhook_id)).toEqual([open.id, answered.id]);
});

test("a manual retry on a live clock is recorded when its response arrives, even while another request is open", async () => {
  const sandbox = await startSandbox();
  const held = await startHeldSubscriber();
  const works = await startSubscriber(200);
  const ids: string[] = [];
  for (const url of [held.url, works.url]) {
    const { id } = await sandbox.createWebhook(url, { events: ["payment.completed"] });
    await sandbox.control("PUT", `/webhooks/${id}/fault`, { kind: "status", status: 500, times: 1 });
    ids.push(id);
  }
  await sandbox.pay({ payment_link_id: (await sandbox.createLink()).id });
  await sandbox.control("POST", "/clock/resume");
  const retrying = sandbox.control("POST", "/deliveries/retry", { since: "1h" });
  await expect
    .poll(async () => (await sandbox.journal("delivery.succeeded")).map(({ data }) => data.webhook_id))
    .toEqual([ids[1]]);
  await held.arrived(1);
  held.open[0]!.answer(200);
  expect((await retrying).body.retried).toBe(2);
});
