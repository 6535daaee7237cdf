import { expect, onTestFinished, test } from "vitest";
import { createSave } from "../src/world/save.ts";
import { openStore } from "../src/world/store.ts";
import { startSandbox } from "./support/sandbox.ts";

test("ids sort in creation order, no matter what the clock says [fidelity: API › Ids]", async () => {
  const sandbox = await startSandbox();
  const made: string[] = [];
  for (let count = 0; count < 130; count += 1)
    made.push((await sandbox.createLink({ name: `Link ${count}` })).id);
  expect(made).toEqual([...made].sort());
  expect(new Set(made).size).toBe(made.length);
  for (const id of made) expect(id).toMatch(/^pl_[0-9A-Za-z]{16}$/);
  const listed = [1, 2].map((page) => sandbox.api("GET", `/payment-links?order=asc&limit=100&page=${page}`));
  const ids = (await Promise.all(listed)).flatMap(({ body }) =>
    body.data.map(({ id }: { id: string }) => id),
  );
  expect(ids).toEqual(made);
});

test("the same calls produce the same ids after a reset", async () => {
  const sandbox = await startSandbox({ seed: "sandglass" });
  const once = async () => {
    const link = await sandbox.createLink();
    const { transaction } = await sandbox.pay({ payment_link_id: link.id });
    return [link.id, link.short_code, transaction.id, transaction.tx_hash];
  };
  const first = await once();
  await sandbox.advance("1d");
  const answer = await sandbox.control("POST", "/reset", {});
  expect(answer.body).toMatchObject({
    seed: "sandglass",
    clock: { mode: "paused", now: "2026-01-15T09:00:00.000Z" },
  });
  expect(await once()).toEqual(first);
});

test("the prepared seeds equal freshly created ones", async () => {
  const { makeSeedBytes, PREPARED_SEEDS, preparedName } = await import("../src/sandbox/seed.ts");
  const { DEFAULT_START } = await import("../src/config/config.ts");
  const { readFileSync } = await import("node:fs");
  const { default: Database } = await import("better-sqlite3");
  const dump = (bytes: Buffer) => {
    const db = new Database(bytes);
    const tables = db
      .prepare("select name from sqlite_master where type = 'table' order by name")
      .pluck()
      .all() as string[];
    const rows = tables
      .filter((name) => name !== "clock")
      .map((name) => [name, db.prepare(`select * from "${name}"`).all()]);
    db.close();
    return rows;
  };
  for (const seed of PREPARED_SEEDS) {
    const prepared = readFileSync(new URL(`../dist/chunks/${preparedName(seed)}`, import.meta.url));
    expect(dump(prepared)).toEqual(dump(await makeSeedBytes({ seed, startAt: DEFAULT_START })));
  }
});

test("rows with different columns are stored completely", () => {
  const store = openStore({ tables: ["create table teas (name text, leaf text, grams integer);"] });
  onTestFinished(() => store.close());
  const save = createSave(store);
  const rows = [
    { name: "sencha" },
    { name: "assam", leaf: "whole", grams: 2 },
    { grams: 3, name: "oolong" },
    { name: "mate", leaf: null, grams: 4 },
    { name: "kukicha" },
  ];
  for (const row of rows) save("teas", row);
  expect(store.sql("select * from teas").all()).toEqual(
    rows.map((row) => ({ leaf: null, grams: null, ...row })),
  );
});

test("a random fault changes neither the next id nor other random draws", async () => {
  const story = async (fault?: object) => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
    if (fault) {
      await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, fault);
      await sandbox.control("PUT", "/faults/game", { status: 503, rate: 0.5 });
    }
    for (let count = 0; count < 5; count += 1) {
      await sandbox.openSession();
      await sandbox.call("GET", "/game/activities");
    }
    const link = await sandbox.createLink();
    const paid = [];
    for (let count = 0; count < 5; count += 1) {
      const { transaction, session } = await sandbox.pay({ payment_link_id: link.id });
      paid.push([transaction.id, transaction.tx_hash, session.id]);
    }
    const first = (await sandbox.deliveries(hook.id)).slice(0, 5).map(({ id }) => id);
    const { random } = sandbox.sandbox.world;
    return {
      same: { hook: hook.id, secret: hook.secret, link: link.id, paid, first, next: random.fraction("test") },
      faults: random.drawn(`fault:webhook:${hook.id}`) * random.drawn("fault:api:game"),
      hits: (await sandbox.deliveries(hook.id)).filter(({ status }) => status === "failed").length,
    };
  };
  const plain = await story();
  const faulty = await story({ kind: "status", status: 503, rate: 0.5 });
  expect(faulty.hits).toBeGreaterThan(0);
  expect(faulty.same).toEqual(plain.same);
  expect([plain.faults, faulty.faults > 0]).toEqual([0, true]);
});
