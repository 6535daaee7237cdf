import Database from "better-sqlite3";
import { resolveConfig } from "../../src/config/config.ts";
import { paymentsArea } from "../../src/payments/area.ts";
import { serve } from "../../src/server/serve.ts";
import { type Figure, median, timed } from "./harness.ts";
import { quietSandbox } from "./quiet-sandbox.ts";

const EXPIRIES = 10_000;

export async function expiries(): Promise<Figure> {
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
    // The baseline loop works on an exact copy of the same table.
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

export async function reset(): Promise<Figure> {
  const { sandbox, close } = await serve(resolveConfig({ port: 0, clock: { mode: "paused" } }, 0));
  const times: number[] = [];
  await sandbox.reset();
  for (let round = 0; round < 30; round += 1) times.push(await timed(() => sandbox.reset()));
  await close();
  return { name: "reset to the default seed", unit: "ms", ours: median(times), limit: { most: 5 } };
}
