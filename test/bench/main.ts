import Database from "better-sqlite3";
import { Pool } from "undici";
import { resolveConfig } from "../../src/config/config.ts";
import { paymentsArea } from "../../src/payments/area.ts";
import { SEEDED_KEYS } from "../../src/payments/seed/organizations.ts";
import { sign } from "../../src/payments/webhooks/signature.ts";
import { serve } from "../../src/server/serve.ts";
import { chainData } from "./chain-data.ts";
import { game } from "./game.ts";
import {
  compareRates,
  type Figure,
  median,
  pathOf,
  residentMegabytes,
  startProgram,
  timed,
} from "./harness.ts";
import { scenarios } from "./scenarios.ts";
import { types } from "./types.ts";
import { worlds } from "./worlds.ts";

const CLI = pathOf("../../dist/cli/main.js");
const BARE = pathOf("./bare-server.mjs");
const SUBSCRIBER = pathOf("./subscriber.mjs");
const START = ["start", "--port", "0", "--quiet"];
const key = { authorization: `Bearer ${SEEDED_KEYS.write}` };

const quietSandbox = () =>
  serve(
    resolveConfig({ port: 0, seed: "empty", clock: { mode: "paused" }, payments: { rateLimit: "off" } }, 0),
  );
const caller = (org: string) => ({ org, ip: "127.0.0.1", method: "POST", path: "/bench" });

async function api(): Promise<Figure[]> {
  const ours = await startProgram([CLI, ...START, "--rate-limit", "1000000"]);
  const bare = await startProgram([BARE]);
  const list = await fetch(`${ours.url}/platform/api/v1/payment-links?limit=1`, { headers: key });
  const [{ id }] = ((await list.json()) as { data: { id: string }[] }).data as [{ id: string }];
  const json = { ...key, "content-type": "application/json" };
  const body = () => JSON.stringify({ name: "Bench", amount: "2500000" });
  const read = await compareRates(
    [ours.url, { method: "GET", path: `/platform/api/v1/payment-links/${id}`, headers: key }],
    [bare.url, { method: "GET", path: "/links/pl_7" }],
  );
  const write = await compareRates(
    [ours.url, { method: "POST", path: "/platform/api/v1/payment-links", headers: json, body }],
    [bare.url, { method: "POST", path: "/links", headers: { "content-type": "application/json" }, body }],
  );
  await ours.stop();
  await bare.stop();
  return [
    {
      name: "GET a payment link, of a bare Fastify read",
      unit: "requests/s",
      ...read,
      limit: { least: 0.6 },
    },
    {
      name: "POST a payment link, of a bare Fastify insert",
      unit: "requests/s",
      ...write,
      limit: { least: 0.5 },
    },
  ];
}

const EVENTS = 2_000;
const IN_FLIGHT = 64;

async function dispatch(): Promise<Figure> {
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
        payments.events.emit(org, "payment.completed", () => data);
    });
    return timed(() => sandbox.clock.advance({ by: 0 }));
  };
  const bare = async () => {
    const pool = new Pool(subscriber.url, { connections: IN_FLIGHT });
    let left = EVENTS;
    const ms = await timed(() =>
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
    return ms;
  };
  await ours();
  await bare();
  const pairs: [number, number][] = [];
  for (let round = 0; round < 5; round += 1) pairs.push([await ours(), await bare()]);
  await close();
  await subscriber.stop();
  const perSecond = (ms: number) => (EVENTS / ms) * 1_000;
  return {
    name: `webhook dispatch at ${IN_FLIGHT} in flight, of a bare undici pool`,
    unit: "deliveries/s",
    ours: perSecond(median(pairs.map(([a]) => a))),
    bare: perSecond(median(pairs.map(([, b]) => b))),
    ratio: median(pairs.map(([a, b]) => b / a)),
    limit: { least: 0.4 },
  };
}

const EXPIRIES = 10_000;

async function expiries(): Promise<Figure> {
  const pairs: [number, number][] = [];
  for (let round = 0; round < 5; round += 1) {
    const { sandbox, close } = await quietSandbox();
    const org = sandbox.part(paymentsArea).organizations.main().id;
    sandbox.world.store.transaction(() => {
      for (let index = 0; index < EXPIRIES; index += 1) {
        sandbox
          .part(paymentsArea)
          .sessions.open(org, null, { amount: "1", expires_in: 300 + (index % 3_000) });
      }
    });
    // The bare loop works on a copy of the same table, row for row.
    const db = new Database(sandbox.world.store.serialize());
    const ids = db.prepare("select id from checkout_sessions").pluck().all() as string[];
    const update = db.prepare(
      "update checkout_sessions set status = 'expired', expired_at = ?, updated_at = ? where id = ? and status = 'active'",
    );
    const ours = await timed(() => sandbox.clock.advance({ by: "2h" }));
    const bare = await timed(() => {
      for (const [index, id] of ids.entries()) update.run(index, index, id);
    });
    db.close();
    await close();
    pairs.push([ours, bare]);
  }
  const perSecond = (ms: number) => (EXPIRIES / ms) * 1_000;
  return {
    name: "advance over 10,000 expiries, of a bare loop of prepared updates",
    unit: "expiries/s",
    ours: perSecond(median(pairs.map(([a]) => a))),
    bare: perSecond(median(pairs.map(([, b]) => b))),
    ratio: median(pairs.map(([a, b]) => b / a)),
    limit: { least: 0.3 },
  };
}

async function startUp(): Promise<Figure[]> {
  const firstAnswer = async (args: string[], path: string) => {
    const started = performance.now();
    const program = await startProgram(args);
    await (await fetch(program.url + path, { headers: key })).text();
    const ms = performance.now() - started;
    return { ms, program };
  };
  const pairs: [number, number][] = [];
  let memory = 0;
  for (let round = 0; round < 9; round += 1) {
    const ours = await firstAnswer([CLI, ...START], "/platform/api/v1/payment-links?limit=1");
    memory = Math.max(memory, residentMegabytes(ours.program.pid));
    await ours.program.stop();
    const bare = await firstAnswer([BARE], "/links/pl_7");
    await bare.program.stop();
    pairs.push([ours.ms, bare.ms]);
  }
  return [
    {
      name: "start to first answer, against bare Fastify and better-sqlite3",
      unit: "ms",
      ours: median(pairs.map(([a]) => a)),
      bare: median(pairs.map(([, b]) => b)),
      ratio: median(pairs.map(([a, b]) => a / b)),
      limit: { most: 1.6 },
    },
    ...(memory > 0 ? [{ name: "idle memory", unit: "MB", ours: memory, limit: { most: 110 } }] : []),
  ];
}

async function reset(): Promise<Figure> {
  const { sandbox, close } = await serve(resolveConfig({ port: 0, clock: { mode: "paused" } }, 0));
  const times: number[] = [];
  await sandbox.reset();
  for (let round = 0; round < 30; round += 1) times.push(await timed(() => sandbox.reset()));
  await close();
  return { name: "reset to the default seed", unit: "ms", ours: median(times), limit: { most: 5 } };
}

const FAST_EVENTS = 1_000;

const HANGING = 100;

/** A hanging subscriber holds all its connections and a queue; then the fast one's deliveries are timed. */
async function slowBesideFast(): Promise<Figure> {
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
        for (let index = 0; index < count; index += 1) payments.events.emit(org, type, () => ({ index }));
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

const SECTIONS: Record<string, () => Figure | Promise<Figure | Figure[]>> = {
  startUp,
  api,
  dispatch,
  expiries,
  reset,
  slowBesideFast,
  chainData,
  game,
  worlds,
  scenarios,
  types,
};

const asked = process.argv.slice(2).filter((argument) => !argument.startsWith("--"));
const figures: Figure[] = [];
for (const [name, section] of Object.entries(SECTIONS)) {
  if (asked.length > 0 && !asked.includes(name)) continue;
  figures.push(...[await section()].flat());
}

const round = (value: number) => (value >= 100 ? Math.round(value) : Math.round(value * 100) / 100);
const rows = figures.map(({ name, ours, bare, unit, ratio, limit }) => {
  const held = ratio ?? ours;
  const met =
    held >= (limit.least ?? Number.NEGATIVE_INFINITY) && held <= (limit.most ?? Number.POSITIVE_INFINITY);
  return {
    figure: name,
    ours: `${round(ours)} ${unit}`,
    bare: bare === undefined ? "" : `${round(bare)} ${unit}`,
    ratio: ratio === undefined ? "" : round(ratio),
    limit: limit.least === undefined ? `at most ${limit.most}` : `at least ${limit.least}`,
    met,
  };
});
console.table(rows);
console.log(JSON.stringify({ node: process.version, figures: rows }));
process.exitCode = rows.every(({ met }) => met) ? 0 : 1;
process.exit();
