import { Pool } from "undici";
import { resolveConfig } from "../../src/config/config.ts";
import { paymentsArea } from "../../src/payments/area.ts";
import { sign } from "../../src/payments/webhooks/signature.ts";
import { serve } from "../../src/server/serve.ts";
import { type Figure, median, pathOf, rateOf, startProgram, summary, timed } from "./harness.ts";
import { quietSandbox } from "./quiet-sandbox.ts";

const SUBSCRIBER = pathOf("./subscriber.mjs");
const caller = (org: string) => ({ org, ip: "127.0.0.1", method: "POST", path: "/bench" });

const EVENTS = 2_000;
const IN_FLIGHT = 64;

/** Measures deliveries to one endpoint, compared with the same number of signed requests sent through a pool. */
export async function dispatch(): Promise<Figure> {
  const subscriber = await startProgram([SUBSCRIBER]);
  const { sandbox, close } = await quietSandbox();
  const payments = sandbox.part(paymentsArea);
  const org = payments.organizations.main().id;
  const webhook = payments.endpoints.create(caller(org), { url: `${subscriber.url}/hook` });
  const data = { id: "txn_bench", amount: "2500000", filler: "x".repeat(600) };
  const body = JSON.stringify({
    event: "payment.completed",
    webhook_id: webhook.id,
    timestamp: "2026-01-15T09:00:00.000Z",
    data,
  });

  const ours = async () => {
    sandbox.world.store.transaction(() => {
      for (let index = 0; index < EVENTS; index += 1)
        payments.webhooks.events.emit(org, "payment.completed", () => data);
    });
    return rateOf(EVENTS, () => sandbox.clock.advance({ by: 0 }));
  };
  const bare = async () => {
    const pool = new Pool(subscriber.url, { connections: IN_FLIGHT });
    let left = EVENTS;
    const rate = await rateOf(EVENTS, () =>
      Promise.all(
        Array.from({ length: IN_FLIGHT }, async () => {
          while (left-- > 0) {
            const headers = {
              "content-type": "application/json",
              "x-platform-signature": sign(body, webhook.secret),
            };
            const answer = await pool.request({ method: "POST", path: "/hook", headers, body });
            await answer.body.dump();
          }
        }),
      ),
    );
    await pool.close();
    return rate;
  };
  await ours();
  await bare();
  const pairs: Parameters<typeof summary>[0] = [];
  for (let round = 0; round < 5; round += 1) pairs.push([await ours(), await bare()]);
  await close();
  await subscriber.stop();
  return {
    name: `webhook dispatch at ${IN_FLIGHT} in flight, of a bare undici pool`,
    ...summary(pairs, "deliveries/s"),
    limit: { least: 0.4 },
  };
}

const FAST_EVENTS = 1_000;

const HANGING = 100;

/** Measures deliveries to a fast subscriber while a hanging one occupies all its connections and a queue. */
export async function slowBesideFast(): Promise<Figure> {
  const subscriber = await startProgram([SUBSCRIBER]);
  const run = async (withSlow: boolean) => {
    const { sandbox, close } = await serve(
      resolveConfig({ port: 0, seed: "empty", clock: { mode: "live" } }, 0),
    );
    const { world } = sandbox;
    const payments = sandbox.part(paymentsArea);
    const org = payments.organizations.main().id;
    const fast = payments.endpoints.create(caller(org), {
      url: `${subscriber.url}/hook`,
      events: ["payment.completed"],
    });
    if (withSlow)
      payments.endpoints.create(caller(org), {
        url: `${subscriber.url}/hang`,
        events: ["checkout.completed"],
      });
    const emit = (type: "payment.completed" | "checkout.completed", count: number) =>
      world.store.transaction(() => {
        for (let index = 0; index < count; index += 1)
          payments.webhooks.events.emit(org, type, () => ({ index }));
      });
    const heard = (type: string, webhookId: string | undefined, count: number) =>
      new Promise<void>((resolve) => {
        let left = count;
        const stop = sandbox.journal.subscribe((entry) => {
          if (entry.type !== type || (webhookId && entry.data.webhook_id !== webhookId)) return;
          left -= 1;
          if (left > 0) return;
          stop();
          resolve();
        });
      });
    if (withSlow) {
      const begun = heard("delivery.started", undefined, HANGING);
      emit("checkout.completed", HANGING);
      await begun;
    }
    const delivered = heard("delivery.succeeded", fast.id, FAST_EVENTS);
    const ms = await timed(() => {
      emit("payment.completed", FAST_EVENTS);
      return delivered;
    });
    await close();
    return ms;
  };
  await run(false);
  await run(true);
  const pairs: [number, number][] = [];
  for (let round = 0; round < 9; round += 1) pairs.push([await run(true), await run(false)]);
  await subscriber.stop();
  const perSecond = (ms: number) => (FAST_EVENTS / ms) * 1_000;
  return {
    name: "a fast subscriber beside a hanging one, of the fast one alone",
    unit: "deliveries/s",
    ours: perSecond(median(pairs.map(([a]) => a))),
    bare: perSecond(median(pairs.map(([, b]) => b))),
    ratio: median(pairs.map(([a, b]) => b / a)),
    limit: { least: 0.9 },
  };
}
