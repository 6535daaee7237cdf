import { expect, test } from "vitest";
import { startSandbox } from "./support/sandbox.ts";

test("ids sort in the order in which they were made, whatever the clock says [fidelity: API › Ids]", async () => {
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

test("a reset gives the same world again: the same calls make the same ids", async () => {
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

test("the default seed that comes ready made is the one that seeding makes", async () => {
  const { makeSeedBytes } = await import("../src/sandbox/seed.ts");
  const { DEFAULT_SEED, DEFAULT_START } = await import("../src/config/config.ts");
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
  const prepared = readFileSync(new URL("../dist/chunks/default-seed.db", import.meta.url));
  const fresh = await makeSeedBytes({ seed: DEFAULT_SEED, startAt: DEFAULT_START });
  expect(dump(prepared)).toEqual(dump(fresh));
});
