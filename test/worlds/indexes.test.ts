import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startSandbox } from "../support/sandbox.ts";

const INDEXES = "select name, sql from sqlite_master where type = 'index' and sql is not null order by name";

/** The bytes with the indexes of another version: some are missing, one differs, and one is unknown. */
function ofAnotherVersion(bytes: Buffer): Buffer {
  const db = new Database(bytes);
  db.exec(`drop index journal_type; drop index transactions_status; drop index transactions_session;
    create index transactions_session on transactions (session_id); create unique index "o""dd" on mail (subject)`);
  return db.serialize();
}

test("a restored snapshot from another version has exactly this version's indexes", async () => {
  const sandbox = await startSandbox();
  const link = await sandbox.createLink();
  await sandbox.pay({ payment_link_id: link.id });
  const bytes = await sandbox.sandbox.snapshot();
  const indexes = () => sandbox.sandbox.world.store.sql(INDEXES).all();
  const expected = indexes();
  expect(expected.length).toBeGreaterThan(20);
  const { status } = await sandbox.call("POST", "/_sandbox/snapshots/upload?name=older", {
    body: ofAnotherVersion(bytes),
    headers: { "content-type": "application/octet-stream" },
  });
  expect(status).toBe(201);
  expect((await sandbox.control("POST", "/snapshots/older/restore")).status).toBe(200);
  expect(indexes()).toEqual(expected);
  expect((await sandbox.api("GET", "/transactions?status=completed")).body.total_count).toBe(1);
});

test("a data folder from another version gets this version's indexes", async () => {
  const dataDir = folderOf();
  const file = join(dataDir, "default.db");
  const first = await startSandbox({ dataDir });
  const link = await first.createLink();
  const expected = first.sandbox.world.store.sql(INDEXES).all();
  await first.close();
  writeFileSync(file, ofAnotherVersion(withoutLog(readFileSync(file))));
  const second = await startSandbox({ dataDir });
  expect(second.sandbox.world.store.sql(INDEXES).all()).toEqual(expected);
  expect((await second.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
});

/** Changes the header of a closed database so that it has no write-ahead log. */
function withoutLog(bytes: Buffer): Buffer {
  bytes[18] = 1;
  bytes[19] = 1;
  return bytes;
}
