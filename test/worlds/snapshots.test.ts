import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, test } from "vitest";
import { startBuilt } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { clientOf, startSandbox, type TestSandbox } from "../support/sandbox.ts";
import { startSubscriber } from "../support/subscriber.ts";
import { startHeldSubscriber, startShop, startsOf } from "../support/webhooks.ts";

const OCTETS = { "content-type": "application/octet-stream" };

const save = async (sandbox: Pick<TestSandbox, "control">, name: string) => {
  const answer = await sandbox.control("POST", "/snapshots", { name });
  expect(answer.status).toBe(201);
  return answer.body;
};
const restore = (sandbox: Pick<TestSandbox, "control">, name: string) =>
  sandbox.control("POST", `/snapshots/${name}/restore`);
const download = async ({ url }: { url: string }, name: string): Promise<Buffer> =>
  Buffer.from(await (await fetch(`${url}/_sandbox/snapshots/${name}/download`)).arrayBuffer());
const upload = (sandbox: Pick<TestSandbox, "call">, name: string, body: Uint8Array) =>
  sandbox.call("POST", `/_sandbox/snapshots/upload?name=${name}`, { body, headers: OCTETS });

describe("snapshots", () => {
  test("a restore brings back data, clock, planned retries, faults and random draws", async () => {
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, `${sandbox.url}/_sandbox/inbox/mine`);
    await shop.fault({ sequence: [500, 500, 200] });
    await shop.pay();
    await sandbox.advance("30s");
    const saved = await save(sandbox, "half-way");
    expect(saved).toMatchObject({
      name: "half-way",
      seed: "empty",
      now: "2026-01-15T09:00:30.000Z",
      problem: null,
    });

    const goOn = async () => {
      const link = await sandbox.createLink({ name: "Later" });
      await sandbox.advance("2h");
      return {
        id: link.id,
        starts: await startsOf(sandbox, shop.webhook.id),
        clock: (await sandbox.control("GET", "/clock")).body,
      };
    };
    const first = await goOn();
    expect((await restore(sandbox, "half-way")).body.clock.now).toBe("2026-01-15T09:00:30.000Z");
    expect((await sandbox.api("GET", "/payment-links")).body.total_count).toBe(1);
    expect(await goOn()).toEqual(first);
    expect(first.starts).toEqual([0, 60, 660]);
  });

  test("a snapshot from a data folder can start or be restored into a world in memory", async () => {
    const stored = await startSandbox({ dataDir: folderOf() });
    const link = await stored.createLink({ name: "Kept" });
    await save(stored, "moved");
    const inMemory = await startSandbox();
    expect((await upload(inMemory, "moved", await download(stored, "moved"))).status).toBe(201);
    const begun = await inMemory.makeWorld({ name: "begun", from: "moved" });
    expect((await restore(inMemory, "moved")).status).toBe(200);
    for (const world of [begun, inMemory])
      expect((await world.api("GET", `/payment-links/${link.id}`)).body.name).toBe("Kept");
  });

  test("a restore discards the results of deliveries in flight", async () => {
    const subscriber = await startHeldSubscriber();
    const sandbox = await startSandbox({ clock: { mode: "live" } });
    const shop = await startShop(sandbox, subscriber.url);
    await save(sandbox, "before");
    const refused = expect(shop.pay()).rejects.toThrow(/reset, restored or undone/);
    await subscriber.arrived(1);
    await restore(sandbox, "before");
    subscriber.open[0]!.answer(200);
    await refused;
    expect(await sandbox.deliveries(shop.webhook.id)).toEqual([]);
    expect(await sandbox.journal("delivery.*")).toEqual([]);

    const paid = shop.pay();
    await subscriber.arrived(2);
    subscriber.open[1]!.answer(500);
    await paid;
    expect(await sandbox.deliveries(shop.webhook.id)).toMatchObject([{ attempt: 1, response_code: 500 }]);
    expect((await shop.state()).consecutive_failures).toBe(1);
  });

  test("a restore discards the result of a retry in flight, and the retry is sent again when due", async () => {
    const subscriber = await startHeldSubscriber();
    const sandbox = await startSandbox();
    const shop = await startShop(sandbox, subscriber.url);
    await shop.fault({ kind: "status", status: 503, times: 1 });
    await shop.pay();
    await save(sandbox, "waiting");
    await sandbox.control("PUT", "/clock", { mode: "scaled", rate: 1_000_000 });
    await subscriber.arrived(1);
    await restore(sandbox, "waiting");
    subscriber.open[0]!.answer(200);
    expect((await sandbox.control("GET", "/clock")).body).toMatchObject({
      mode: "paused",
      now: "2026-01-15T09:00:00.000Z",
    });
    expect(await sandbox.deliveries(shop.webhook.id)).toMatchObject([{ attempt: 1, response_code: 503 }]);

    const again = sandbox.advance("1m");
    await subscriber.arrived(2);
    subscriber.open[1]!.answer(200);
    await again;
    const deliveries = await sandbox.deliveries(shop.webhook.id);
    expect(deliveries.map(({ status }) => status)).toEqual(["failed", "success"]);
    const [dropped, kept] = subscriber.open.map(({ received }) => received);
    expect(kept!.body).toBe(dropped!.body);
    expect(kept!.headers["x-platform-delivery-id"]).toBe(dropped!.headers["x-platform-delivery-id"]);
  });

  test("a snapshot continues in another process with identical requests, including faults and random draws", async () => {
    const subscriber = await startSubscriber();
    const here = await startSandbox();
    const shop = await startShop(here, subscriber.url);
    await shop.fault({ kind: "status", status: 500, rate: 0.5 });
    await shop.pay(4);
    await here.control("PUT", "/faults/data", { rate: 0.5, status: 502 });
    await here.control("POST", "/snapshots", { name: "moment" });
    const file = await download(here, "moment");
    const url = await startBuilt(["--port", "0", "--seed", "another", "--paused"]);
    const there = clientOf(url);
    expect((await upload(there, "moment", file)).status).toBe(201);
    expect((await restore(there, "moment")).status).toBe(200);

    const goOn = async (world: Pick<TestSandbox, "pay" | "advance" | "deliveries" | "call">) => {
      const before = subscriber.received.length;
      for (let count = 0; count < 4; count += 1) await world.pay({ payment_link_id: shop.link.id });
      await world.advance("2h");
      const lookups: number[] = [];
      for (let count = 0; count < 12; count += 1)
        lookups.push((await world.call("GET", "/data/insights/v1/tokens/lookup?symbol=USDC")).status);
      const { received } = subscriber;
      return {
        lookups,
        received: received.slice(before).map(({ headers, body }) => ({
          body,
          signature: headers["x-platform-signature"],
          delivery: headers["x-platform-delivery-id"],
          timestamp: headers["x-platform-timestamp"],
        })),
        codes: (await world.deliveries(shop.webhook.id)).map((one) => [one.id, one.response_code]),
      };
    };
    const first = await goOn(here);
    expect(await goOn(there)).toEqual(first);
    expect(new Set(first.lookups)).toEqual(new Set([200, 502]));
    expect(new Set(first.codes.map(([, code]) => code))).toEqual(new Set([200, 500]));
  });

  test("a snapshot file continues on another server from the same virtual time", async () => {
    const ci = await startSandbox();
    const shop = await startShop(ci, `${ci.url}/_sandbox/inbox/mine`);
    await shop.fault({ kind: "status", status: 503 });
    await shop.pay();
    await ci.advance("5m");
    await save(ci, "failed-run");
    const file = await download(ci, "failed-run");

    const laptop = await startSandbox({ seed: "empty" });
    expect((await upload(laptop, "from-ci", file)).status).toBe(201);
    const world = await laptop.makeWorld({ name: "look", from: "from-ci" });
    expect((await world.control("GET", "/clock")).body.now).toBe("2026-01-15T09:05:00.000Z");
    expect(await world.deliveries(shop.webhook.id)).toEqual(await ci.deliveries(shop.webhook.id));
    await world.advance("6m");
    expect((await world.deliveries(shop.webhook.id)).at(-1)).toMatchObject({
      attempt: 3,
      response_code: 503,
    });
  });

  test("snapshots can be listed, overwritten by name, and deleted", async () => {
    const sandbox = await startSandbox();
    await save(sandbox, "one");
    await sandbox.advance("1h");
    await save(sandbox, "one");
    const listed = (await sandbox.control("GET", "/snapshots")).body.data;
    expect(listed).toEqual([
      {
        name: "one",
        seed: "empty",
        now: "2026-01-15T10:00:00.000Z",
        bytes: expect.any(Number),
        problem: null,
        durable: false,
      },
    ]);
    expect((await sandbox.control("DELETE", "/snapshots/one")).body).toEqual({ name: "one", deleted: true });
    expect((await sandbox.control("GET", "/snapshots")).body.data).toEqual([]);
  });
});

function withByte(bytes: Uint8Array, at: number, value: number): Buffer {
  const copy = Buffer.from(bytes);
  copy[at] = value;
  return copy;
}

describe("invalid snapshots", () => {
  test("a damaged, foreign or incompatible snapshot file is rejected and not stored", async () => {
    const sandbox = await startSandbox();
    await save(sandbox, "good");
    const good = await download(sandbox, "good");
    const changed = (sql: string) => {
      const db = new Database(good);
      db.exec(sql);
      return db.serialize();
    };
    const timer = (rest: string) => `insert into timers (due, id, kind, key, payload) values (0, 1, ${rest})`;
    const cases: [string, Uint8Array, RegExp][] = [
      ["empty", new Uint8Array(), /no file|empty/],
      ["a picture", Buffer.from("\u0089PNG\r\n\u001a\n and so on", "latin1"), /another kind of file/],
      ["cut in the middle", good.subarray(0, Math.floor(good.length / 2)), /incomplete or damaged/],
      ["cut by 100 bytes", good.subarray(0, -100), /incomplete or damaged: it has \d+ bytes of \d+\.$/],
      ["with 100 bytes more", Buffer.concat([good, Buffer.alloc(100)]), /incomplete or damaged: it has/],
      ["only a header", good.subarray(0, 60), /incomplete or damaged/],
      [
        "of a later write version",
        withByte(good, 18, 3),
        /written by a later version of SQLite \(form 3\.1\)/,
      ],
      [
        "of a later read version",
        withByte(good, 19, 9),
        /written by a later version of SQLite \(form 1\.9\)/,
      ],
      ["another version", changed("pragma user_version = 99"), /format 99; .* reads format \d+/],
      ["another database", changed("drop table webhooks"), /its tables do not match/],
      [
        "a hostile trigger",
        changed("create trigger t after insert on journal begin delete from webhooks; end"),
        /its tables do not match/,
      ],
      ["without a world", changed("delete from world"), /no world/],
      ["without a clock", changed("delete from clock"), /no world/],
      ["a hostile view", changed("create view v as select * from webhooks"), /its tables do not match/],
      ["a clock beyond time", changed("update clock set anchor_virtual = 1e18"), /its clock is invalid/],
      ["a clock of no mode", changed("update clock set mode = 'backwards'"), /its clock is invalid/],
      ["a clock that races", changed("update clock set rate = 1e300"), /its clock is invalid/],
      ["a timer of no kind", changed(timer("'shell', 'key', '{}'")), /its timer 1 has no handler/],
      [
        "a timer that is not JSON",
        changed(timer("'webhooks.attempt', 'key', '{'")),
        /its timer \d+ has no handler/,
      ],
      ["another kind of database", new Database(":memory:").serialize(), /empty|its tables do not match/],
    ];
    for (const [what, bytes, message] of cases) {
      const { status, body } = await upload(sandbox, "bad", bytes);
      expect({ what, status }).toEqual({ what, status: 400 });
      expect(body.error.message).toMatch(message);
      expect(body.error.hint).not.toBe("");
    }
    expect((await sandbox.control("GET", "/snapshots")).body.data).toHaveLength(1);
  });

  test("a snapshot with a damaged page is rejected", async () => {
    const sandbox = await startSandbox({ seed: "sandglass" });
    await save(sandbox, "good");
    const bytes = await download(sandbox, "good");
    bytes.fill(0xff, 4096 * 20, 4096 * 24);
    const { status, body } = await upload(sandbox, "bad", bytes);
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^Cannot read the snapshot /);
  });

  test("a snapshot under an unknown or invalid name is rejected", async () => {
    const sandbox = await startSandbox();
    expect((await restore(sandbox, "none")).body.error.message).toBe("There is no snapshot 'none'.");
    expect((await sandbox.control("DELETE", "/snapshots/none")).status).toBe(404);
    expect((await sandbox.control("GET", "/snapshots/none/download")).status).toBe(404);
    for (const name of ["", "..", "a/b", "../x", "Träume", "\u0000", "x".repeat(65), "x".repeat(300)]) {
      expect((await sandbox.control("POST", "/snapshots", { name })).status).toBe(400);
      expect((await upload(sandbox, encodeURIComponent(name), Buffer.from("x"))).status).toBe(400);
      if (name === "" || name === "..") continue;
      const path = `/snapshots/${encodeURIComponent(name)}`;
      for (const answer of [
        await sandbox.control("POST", `${path}/restore`),
        await sandbox.control("GET", `${path}/download`),
        await sandbox.control("DELETE", path),
      ]) {
        expect([400, 404]).toContain(answer.status);
        expect(answer.body.error.hint).not.toBe("");
      }
    }
    expect((await sandbox.call("POST", "/_sandbox/snapshots/upload?name=x", { body: { a: 1 } })).status).toBe(
      415,
    );
  });
});

test("worlds and snapshots in a data folder survive a restart", async () => {
  const dataDir = folderOf();
  const first = await startSandbox({ dataDir });
  const world = await first.makeWorld({ name: "kept" });
  const link = await world.createLink();
  await save(world, "moment");
  await first.close();

  const second = await startSandbox({ dataDir });
  const again = clientOf(`${second.url}/w/kept`);
  expect((await again.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
  expect((await second.control("GET", "/snapshots")).body.data).toHaveLength(1);
  expect((await restore(second, "moment")).status).toBe(200);
  expect((await second.api("GET", `/payment-links/${link.id}`)).status).toBe(200);
  await second.control("DELETE", "/worlds/kept");
  await second.close();
  const third = await startSandbox({ dataDir });
  expect((await third.control("GET", "/worlds")).body.data).toHaveLength(1);
});

test("a data folder with unreadable snapshots still works, and the snapshot list gives the reason for each", async () => {
  const dataDir = folderOf();
  const snapshots = join(dataDir, "snapshots");
  mkdirSync(join(snapshots, "folder.sandglass"), { recursive: true });
  writeFileSync(join(snapshots, "nothing.sandglass"), "");
  writeFileSync(join(snapshots, "cut.sandglass"), "SQLite format 3\0 and no more");
  const sandbox = await startSandbox({ dataDir });
  await save(sandbox, "good");
  const { data } = (await sandbox.control("GET", "/snapshots")).body;
  const problems = Object.fromEntries(
    data.map((one: { name: string; problem: string }) => [one.name, one.problem]),
  );
  expect(problems).toEqual({
    cut: expect.stringMatching(/^Cannot read the snapshot /),
    folder: expect.stringMatching(/^Cannot read the snapshot folder: illegal operation on a directory/),
    good: null,
    nothing: expect.stringMatching(/it is empty/),
  });
  for (const name of ["cut", "folder", "nothing"]) {
    const { status, body } = await restore(sandbox, name);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ message: problems[name], hint: expect.stringMatching(/Remove it/) });
    expect((await sandbox.control("POST", "/worlds", { name, from: name })).status).toBe(400);
    expect((await sandbox.control("DELETE", `/snapshots/${name}`)).status).toBe(200);
  }
  expect((await restore(sandbox, "good")).status).toBe(200);

  rmSync(snapshots, { recursive: true });
  writeFileSync(snapshots, "in the way");
  const refused = await sandbox.control("POST", "/snapshots", { name: "more" });
  expect(refused.status).toBe(409);
  expect(refused.body.error.message).toMatch(/cannot be saved in /);
});

test("a snapshot that exceeds the memory limit is rejected and has no effect", async () => {
  const sandbox = await startSandbox({ worlds: { snapshotMemory: 2 } });
  sandbox.sandbox.journal.append("test.entry", { text: "x".repeat(900_000) });
  const { bytes } = await save(sandbox, "one");
  expect(bytes).toBeGreaterThan(1024 * 1024);
  const refused = await sandbox.control("POST", "/snapshots", { name: "two" });
  expect([refused.status, refused.body.error]).toEqual([
    409,
    {
      code: "invalid_state",
      message:
        "The snapshot two takes 2 MiB. With the others in memory (1), that is 3 MiB; the limit is 2 MiB.",
      hint: "Delete others with DELETE /_sandbox/snapshots/{name}, raise worlds.snapshotMemory in the configuration, or start with --data-dir to store them as files.",
    },
  ]);
  expect((await upload(sandbox, "two", await download(sandbox, "one"))).status).toBe(409);
  await save(sandbox, "one");
  expect((await sandbox.control("GET", "/snapshots")).body.data).toMatchObject([{ name: "one" }]);
  await sandbox.control("DELETE", "/snapshots/one");
  await save(sandbox, "two");
});
