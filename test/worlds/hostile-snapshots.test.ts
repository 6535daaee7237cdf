import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import type { SandglassConfig } from "../../src/library/config.ts";
import type { TimerHandler } from "../../src/world/scheduler.ts";
import { createWorld } from "../../src/world/world.ts";
import { folderOf } from "../support/cli.ts";
import { listenByEvents } from "../support/live.ts";
import { clientOf, type Json, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHangingSubscriber, startShop } from "../support/webhooks.ts";

const OCTETS = { "content-type": "application/octet-stream" };

/** The bytes of a world with a retry planned one minute from now, and with a session that expires. */
async function plannedRetry(sandbox: TestSandbox): Promise<Buffer> {
  const subscriber = await startSubscriber(500);
  const shop = await startShop(sandbox, subscriber.url);
  await shop.pay();
  await sandbox.openSession();
  await sandbox.control("PUT", "/faults/data", { status: 503 });
  await sandbox.control("PUT", "/inbox/mine/behaviour", { status: 500 });
  await sandbox.control("POST", "/snapshots", { name: "good" });
  const answer = await fetch(`${sandbox.url}/_sandbox/snapshots/good/download`);
  return Buffer.from(await answer.arrayBuffer());
}

function changed(bytes: Buffer, sql: string): Buffer {
  const db = new Database(bytes);
  // Drop this index, because it accepts only JSON. A file from outside may lack it.
  db.exec("drop index if exists webhook_events_about");
  db.exec(sql);
  return db.serialize();
}

interface Column {
  table: string;
  column: string;
}

/** Every column of every table that contains rows. */
function columnsOf(bytes: Buffer): Column[] {
  const db = new Database(bytes);
  const columns = db
    .prepare(
      `select m.name as "table", c.name as "column" from sqlite_master m join pragma_table_info(m.name) c
       where m.type = 'table'`,
    )
    .all() as Column[];
  return columns.filter(({ table }) => db.prepare(`select 1 from "${table}"`).get() !== undefined);
}

/** The bytes with a different value in a column, or unchanged bytes if the table does not accept the value. */
function changedColumn(bytes: Buffer, { table, column }: Column, value: string): Buffer {
  try {
    return changed(bytes, `update or ignore "${table}" set "${column}" = ${value}`);
  } catch {
    return bytes;
  }
}

/**
 * Starts a sandbox with a world `bad`, whose file in the data folder was changed while nothing was running. Such a file
 * does not go through the checks for snapshots.
 */
async function startChanged(
  prepare: (sandbox: TestSandbox) => Promise<void>,
  sql: string,
  config: SandglassConfig = {},
) {
  const dataDir = folderOf();
  const before = await startSandbox({ dataDir, ...config });
  await prepare(before);
  const world = await before.makeWorld({ name: "bad", from: "default" });
  await world.control("POST", "/snapshots", { name: "good" });
  await before.close();
  const db = new Database(join(dataDir, "bad.db"));
  db.exec(sql);
  db.close();
  const sandbox = await startSandbox({ dataDir });
  const bad = clientOf(`${sandbox.url}/w/bad`);
  await bad.control("POST", "/snapshots", { name: "hostile" });
  return { sandbox, bad };
}

const upload = (sandbox: TestSandbox, body: Buffer) =>
  sandbox.call("POST", "/_sandbox/snapshots/upload?name=hostile", { body, headers: OCTETS });

describe("snapshots that Sandglass did not write", () => {
  test("a snapshot with broken JSON, invalid times or unknown ids is rejected, and an unmodified one is accepted", async () => {
    const sandbox = await startSandbox();
    const good = await plannedRetry(sandbox);
    const cases: [string, RegExp][] = [
      ["insert or replace into random values (1, '{')", /random\.drawn contains an invalid JSON object/],
      ["update random set drawn = '[]'", /random\.drawn/],
      [
        "update random set drawn = '{}'",
        /would be generated again: random\.drawn counts fewer ids than exist/,
      ],
      ["update random set drawn = json_set(drawn, '$.pl_', 0)", /pl_\w+ would be generated again/],
      ["update random set drawn = json_set(drawn, '$.pl_', 'x')", /random\.drawn .* an invalid count/],
      ["update random set drawn = json_set(drawn, '$.pl_', -1)", /random\.drawn .* an invalid count/],
      ["update faults set spec = 'null'", /faults\.spec/],
      ["update journal set data = '{'", /journal\.data/],
      ["update transactions set session_id = 'cs_none'", /refers to cs_none/],
      ["update webhooks set events = '{}'", /webhooks\.events .* an invalid JSON array/],
      ["update webhook_events set data = ''", /webhook_events\.data/],
      ["update checkout_sessions set metadata = '1'", /checkout_sessions\.metadata/],
      ["update webhook_deliveries set request_headers = 'x'", /webhook_deliveries\.request_headers/],
      ["update inbox_behaviours set behaviour = '{'", /inbox_behaviours\.behaviour/],
      ["update journal set at = 1e18", /journal\.at contains an invalid instant/],
      ["update timers set due = 9e15", /timers\.due contains an invalid instant/],
      ["update timers set id = x'ff00' where kind = 'webhooks.attempt'", /its timer .+ has no handler/s],
      ["update timers set id = 9e18 where kind = 'webhooks.attempt'", /its timer .+ has no handler/s],
      ["update webhooks set created_at = 'soon'", /webhooks\.created_at contains an invalid instant/],
      ["update webhooks set id = null", /webhooks\.id contains an invalid text/],
      ["update webhooks set url = 'nowhere'", /webhooks\.url contains an invalid URL/],
      ["update webhooks set url = 'file:///etc/passwd'", /webhooks\.url contains an invalid URL/],
      [
        "update webhooks set events = '[\"tea.ready\"]'",
        /webhooks\.events contains an invalid list of events/,
      ],
      ["update webhooks set status = 'tired'", /webhooks\.status contains an invalid status/],
      [
        "update payment_links set short_code = '../' || id",
        /payment_links\.short_code contains an invalid short code/,
      ],
      ["update payment_links set amount = 'free'", /payment_links\.amount contains an invalid amount/],
      [
        "update checkout_sessions set success_url = 'javascript:alert(1)'",
        /checkout_sessions\.success_url .* an invalid URL/,
      ],
      [
        "update payment_links set return_url = 'javascript:alert(1)'",
        /payment_links\.return_url .* an invalid URL/,
      ],
      [
        "insert into game_states values ('s', 'g', 'p', 'l', 'c', '{', 1)",
        /game_states\.state contains an invalid JSON/,
      ],
      [
        "update webhook_state_changes set change = 'tired'",
        /webhook_state_changes\.change .* an invalid change/,
      ],
      ["update checkout_sessions set amount = '-1'", /checkout_sessions\.amount .* an invalid amount/],
      ["update transactions set amount = '1.5'", /transactions\.amount .* an invalid amount/],
      ["update transactions set status = 'maybe'", /transactions\.status .* an invalid status/],
      [
        "update payment_links set current_uses = 'many'",
        /payment_links\.current_uses .* an invalid whole number/,
      ],
      [
        "update payment_links set current_uses = 9e18",
        /payment_links\.current_uses .* an invalid whole number/,
      ],
      ["update webhook_plans set attempts = 1.5", /webhook_plans\.attempts .* an invalid whole number/],
      [`update faults set spec = '{"status": "x"}'`, /faults\.spec contains an invalid fault/],
      [
        `update faults set spec = '{"status": 503, "match": "/${"*a".repeat(101)}"}'`,
        /faults\.spec contains an invalid fault/,
      ],
      ["update webhooks set url = x'ff00'", /webhooks\.url contains an invalid text/],
      ["delete from webhooks", /refers to wh_\w+, which it lacks/],
      ["delete from webhook_events", /refers to evt_\w+, which it lacks/],
      ["delete from checkout_sessions", /refers to cs_\w+, which it lacks/],
      ["delete from notification_settings", /refers to org_\w+, which it lacks/],
      ["update timers set payload = '{}' where kind = 'webhooks.attempt'", /refers to a row without an id/],
    ];
    for (const [sql, message] of cases) {
      const { status, body } = await upload(sandbox, changed(good, sql));
      expect({ sql, status, message: body.error?.message }).toEqual({
        sql,
        status: 400,
        message: expect.stringMatching(message),
      });
      expect(body.error.hint).not.toBe("");
    }
    expect((await upload(sandbox, good)).status).toBe(201);
  });
});

describe("worlds with a timer that cannot run", () => {
  beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
  afterEach(() => void vi.restoreAllMocks());

  const startHostile = (sql: string) =>
    startChanged(async (sandbox) => void (await plannedRetry(sandbox)), sql);
  const NO_URL = "update webhooks set url = 'nowhere'";
  const DUE =
    "update timers set due = (select anchor_virtual + 1 from clock) where kind = 'webhooks.attempt'";

  test.each([
    ["an invalid URL, live", `${NO_URL}; ${DUE}`, { mode: "live" }],
    ["an invalid URL, at full speed", NO_URL, { mode: "scaled", rate: 1_000_000 }],
  ])("a world with a failing timer stops, and other worlds continue: %s", async (_what, sql, clock) => {
    const { sandbox, bad } = await startHostile(sql);
    const live = await listenByEvents(bad.url, "?types=world.stopped");
    await bad.control("PUT", "/clock", clock);
    const [entry] = await live.heard(1);
    expect(entry!.data).toMatchObject({
      reason: expect.stringMatching(/URL/),
      timer: { kind: "webhooks.attempt", key: expect.stringMatching(/^evt_\w+\/wh_/) },
    });
    expect((await bad.control("GET", "/clock")).body.mode).toBe("paused");

    // The other worlds continue, and this one still responds to reads.
    expect((await sandbox.advance("1m")).ledger.map(({ type }: Json) => type)).toContain("delivery.failed");
    expect((await bad.api("GET", "/payment-links")).body.total_count).toBe(1);
    const { status, body } = await bad.control("POST", "/clock/advance", { by: "1h" });
    expect(status).toBe(409);
    expect(body.error).toMatchObject({
      code: "invalid_state",
      message: expect.stringMatching(
        /^The world stopped at 2026-.* because its timer webhooks\.attempt of evt_/,
      ),
      hint: expect.stringMatching(/reset.*restore/),
    });
  });

  test("an advance runs everything before a failing timer and stops there until a restore or reset", async () => {
    const later = "update timers set due = due + 7200000 where kind = 'webhooks.attempt'";
    const { bad } = await startHostile(`${NO_URL}; ${later}`);
    const { status, body } = await bad.control("POST", "/clock/advance", { by: "3h" });
    expect(status).toBe(409);
    expect(body.error.message).toMatch(/^The world stopped at 2026-01-15T11:01:00\.000Z/);
    expect((await bad.control("GET", "/clock")).body).toMatchObject({
      mode: "paused",
      now: "2026-01-15T11:01:00.000Z",
    });
    const told = (await bad.journal()).map(({ type }) => type);
    expect(told.slice(-2)).toEqual(["checkout.expired", "world.stopped"]);

    await bad.control("POST", "/snapshots/good/restore");
    expect((await bad.advance("3h")).ledger.map(({ type }: Json) => type)).toContain("delivery.failed");
    await bad.control("POST", "/snapshots/hostile/restore");
    await bad.control("POST", "/clock/advance", { by: "3h" });
    await bad.control("POST", "/reset");
    expect((await bad.advance("3h")).to).toBe("2026-01-15T12:00:00.000Z");
  });
});

test("a failure is counted even if the next timer cannot run", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const silent = await startHangingSubscriber();
  const { bad } = await startChanged(
    async (sandbox) => {
      const shop = await startShop(sandbox, silent.url, { events: ["payment.failed"] });
      const broken = await startShop(sandbox, (await startSubscriber(500)).url);
      await sandbox.pay({ payment_link_id: shop.link.id, outcome: "failed" });
      await broken.pay();
    },
    `update webhooks set url = 'nowhere' where events not like '%payment.failed%';
     update timers set due = (select due + 1 from timers where kind = 'webhooks.timeout') where kind = 'webhooks.attempt'`,
    { settleTimeout: "4s" },
  );

  const { status, body } = await bad.control("POST", "/clock/advance", { by: "1h" });
  expect({ status, message: body.error?.message }).toEqual({
    status: 409,
    message: expect.stringMatching(/^The world stopped at 2026-01-15T09:00:30\.001Z/),
  });
  const { body: webhooks } = await bad.control("GET", "/webhooks");
  expect(webhooks.data.find(({ url }: Json) => url === silent.url)).toMatchObject({
    consecutive_failures: 1,
    last_delivery_at: "2026-01-15T09:00:30.000Z",
  });
});

test("a snapshot with a modified column either works or is rejected, and other worlds continue", async () => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const sandbox = await startSandbox();
  const good = await plannedRetry(sandbox);
  const columns = columnsOf(good);
  const values = ["''", "'x'", "-1", "9e999", "x'ff00'", "'{}'", "'[]'", `'{"kind":"gremlins"}'`];
  let number = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...columns), fc.constantFrom(...values), async (column, value) => {
      number += 1;
      const file = changedColumn(good, column, value);
      const { status } = await upload(sandbox, file);
      expect([201, 400]).toContain(status);
      if (status === 400) return;
      const world = await sandbox.makeWorld({ name: `world-${number}`, from: "hostile" });
      for (const path of ["/status", "/events", "/webhooks", "/faults", "/export"])
        expect([path, (await world.control("GET", path)).status]).toEqual([path, 200]);
      for (const path of ["/payment-links", "/checkout-sessions", "/transactions", "/analytics/overview"])
        expect([path, (await world.api("GET", path)).status < 500]).toEqual([path, true]);
      expect((await world.control("POST", "/clock/advance", { by: "3h" })).status).toBe(200);
      await world.control("PUT", "/clock", { mode: "scaled", rate: 1_000_000 });
      expect((await sandbox.control("GET", "/worlds")).status).toBe(200);
      expect((await sandbox.control("DELETE", `/worlds/world-${number}`)).status).toBe(200);
    }),
    { numRuns: 6 },
  );
  expect((await sandbox.advance("1m")).ledger.map(({ type }: Json) => type)).toContain("delivery.failed");
});

describe("failing timers", () => {
  beforeEach(() => void vi.spyOn(console, "error").mockReturnValue());
  afterEach(() => void vi.restoreAllMocks());

  const fail = () => {
    throw new Error("on purpose");
  };
  const job = (commit: () => void) => ({ outcome: Promise.resolve({ commit }), hurry: () => undefined });

  const PLACES: [string, TimerHandler][] = [
    ["the handler", fail],
    ["the started job", () => fail],
    ["the job's commit", () => () => job(fail)],
  ];
  test.each(PLACES)(
    "a failing timer stops a running clock and makes an advance fail: %s",
    async (_where, handler) => {
      const done: string[] = [];
      const world = createWorld({
        name: "bad",
        seed: "empty",
        startAt: 1_000,
        mode: "live",
        rate: 1,
        tables: [],
        settleTimeout: 0,
      });
      onTestFinished(() => world.close());
      const { scheduler, timers, journal, clock } = world;
      scheduler.handle(
        "good",
        ({ key }) =>
          () =>
            job(() => void done.push(key)),
      );
      scheduler.handle("bad", handler);
      const set = (kind: string, key: string) => timers.set(kind, key, clock.now());
      const stopped = new Promise<void>((resolve) => journal.on("world.stopped", () => resolve()));
      set("good", "before");
      set("bad", "fails");
      set("good", "beside");
      scheduler.start();
      await stopped;
      expect(clock.state().mode).toBe("paused");
      expect(journal.list({ types: ["world.stopped"] })).toMatchObject([
        { data: { reason: "on purpose", timer: { kind: "bad", key: "fails" } } },
      ]);

      set("bad", "fails again");
      await expect(scheduler.advance({ by: 1_000 })).rejects.toMatchObject({
        code: "invalid_state",
        message: expect.stringMatching(/on purpose/),
      });
      for (const key of ["fails", "fails again"]) timers.cancel("bad", key);
      await scheduler.advance({ by: 1_000 });
      expect(done.sort()).toEqual(["before", "beside"]);
    },
  );
});
