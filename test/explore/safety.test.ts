import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keepTables, readState } from "../../src/index.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { startCli } from "../support/built.ts";
import { configured, expectMisuse, folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { everything, openShop, ROWS } from "./safety.ts";

/** A server with the same rows in the file of a variable, which handles events slowly enough to be killed in between. */
const SERVER = (variable: string) => `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const Database = createRequire(${JSON.stringify(`${ROOT}package.json`)})("better-sqlite3");
const db = new Database((process.env.${variable} ?? "shop.db").replace(/^file:/, ""));
const set = db.prepare("insert or replace into orders values (?, ?)");
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  if (!request.headers["x-platform-test"])
    set.run(data.checkoutSession?.clientReferenceId ?? data.client_reference_id, event);
  db.exec("insert into notes values ('noted')");
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

describe("the user's database", () => {
  it("is put back as it was, with rowids, bytes and infinities", async () => {
    const shop = await openShop();
    const { code } = await shop.explore("--deviations", "1");
    expect(code).toBe(0);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(() => shop.db.exec("insert into found (found) values ('integrity-check')")).not.toThrow();
    expect(shop.left()).toEqual([]);
  });

  it("is read and nothing else with --start, whose server gets the address of a copy", async () => {
    const shop = await openShop();
    shop.db.pragma("wal_checkpoint(truncate)");
    shop.db.close();
    const bytes = readFileSync(shop.file);
    const cwd = folderOf({ "server.mjs": SERVER("DB_FILE") });
    const args = [
      ...[
        "explore",
        `127.0.0.1:${await portOfItsOwn()}`,
        "--secret",
        "whsec_test",
        "--story",
        "late-payment",
      ],
      ...["--start", "node server.mjs", "--state", `sqlite:${shop.file}`, "--deviations", "1"],
      ...configured({ databaseEnv: ["DB_FILE"] }),
    ];
    const ended = await runWarmCli(args, { cwd, env: shop.env });
    expect([ended.code, ended.stderr]).toEqual([1, expect.not.stringContaining("copy")]);
    expect(readFileSync(shop.file).equals(bytes)).toBe(true);
    expect(shop.left()).toEqual([]);

    const killed = startCli(args, { cwd, env: shop.env });
    await expect.poll(shop.left).toHaveLength(1);
    await killed.saw(/schedules|./);
    killed.kill("SIGKILL");
    await killed.ended;
    expect(readFileSync(shop.file).equals(bytes)).toBe(true);
    await readState(`sqlite:${shop.file}`);
    expect(shop.left()).toEqual([]);
  });

  it("is put back if the server goes round the copy, and the variables that it got are named", async () => {
    const shop = await openShop();
    const cwd = folderOf({ "server.mjs": SERVER("NOTHING").replace('"shop.db"', JSON.stringify(shop.file)) });
    const port = await portOfItsOwn();
    const { code, stderr } = await runWarmCli(
      [
        ...["explore", `127.0.0.1:${port}`, "--secret", "whsec_test", "--story", "late-payment"],
        ...["--start", "node server.mjs", "--state", `sqlite:${shop.file}`],
        ...configured({ databaseEnv: ["DB"] }),
      ],
      { cwd, env: shop.env },
    );
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(
        /does not use the copy of its database.*DATABASE_URL, DB\.\n.*subject\.databaseEnv/s,
      ),
    ]);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });

  it("is put back by the next command after a kill, but for rows that were changed since", async () => {
    const shop = await openShop();
    const cli = shop.start("--deviations", "9");
    await expect.poll(shop.handled).toBeGreaterThan(40);
    cli.kill("SIGKILL");
    await cli.ended;
    expect(shop.left()).toHaveLength(1);
    shop.db.exec(
      "update orders set status = 'by hand' where reference = 'old-1'; insert into notes values ('by hand')",
    );
    const { code, stderr } = await shop.explore("--deviations", "1");
    expect(code).toBe(0);
    expect(stderr).toContain("An earlier trial of shop.db was killed.");
    expect(stderr).toMatch(/notes \d+/);
    const now = everything(shop.file);
    expect(now.orders).toEqual([{ ...shop.before.orders[0], status: "by hand" }, shop.before.orders[1]]);
    expect(now.notes).toHaveLength(3);

    const copy = /the copy of before is (\S+)\./.exec(stderr)![1]!;
    expect(everything(copy)).toEqual(shop.before);
    const restored = await runWarmCli(["explore", "--restore", "--state", "sqlite:shop.db"], shop);
    expect([restored.code, restored.stdout]).toEqual([
      0,
      expect.stringContaining("has the rows of before again"),
    ]);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });

  it("is put back when the output of explore is closed", async () => {
    const shop = await openShop();
    const cli = shop.start("--deviations", "1", ...configured({ all: true }));
    await expect.poll(shop.handled).toBeGreaterThan(20);
    cli.closeOutput();
    await cli.ended;
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });
});

describe("rows that another program writes", () => {
  it("stay and are named, and are no finding, in a table that no delivery changes", async () => {
    const shop = await openShop();
    shop.db.exec("create table later (line text)");
    const exploring = shop.explore("--deviations", "1", ...configured({ all: true }));
    await expect.poll(shop.handled).toBeGreaterThan(20);
    const other = new Database(shop.file);
    onTestFinished(() => void other.close());
    other.exec("insert into notes values ('mine')");
    const { code, stdout } = await exploring;
    expect(code).toBe(0);
    expect(stdout).toContain("notes: 1 row inserted by another program");
    expect(stdout).not.toMatch(/^Notes /m);
    expect(shop.db.prepare("select line from notes").pluck().all()).toContain("mine");
    expect(everything(shop.file).orders).toEqual(shop.before.orders);
  });

  it("stay, and nothing is judged, in a table that is compared", async () => {
    const shop = await openShop();
    const exploring = shop.explore("--deviations", "9");
    await expect.poll(shop.handled).toBeGreaterThan(40);
    const other = new Database(shop.file);
    onTestFinished(() => void other.close());
    for (const number of [1, 2, 3]) {
      other.prepare("insert into orders values (?, 'mine')").run(`mine-${number}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    const { code, stderr } = await exploring;
    expect([code, stderr]).toEqual([
      3,
      expect.stringMatching(/orders: \d rows? inserted by another program/),
    ]);
    expect(shop.db.prepare("select count(*) from orders where status = 'mine'").pluck().get()).toBe(3);
    expect(everything(shop.file).orders).toHaveLength(5);
  });
});

it.each(["is killed", "ends"])(
  "a row that may be another program's comes back and is named when a trial %s before a further run tells",
  async (how) => {
    const shop = await openShop();
    const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
    onTestFinished(() => stderr.mockRestore());
    const open = () => openTables(`sqlite:${shop.file}`);
    const tables = await open();
    await tables.putBack();
    const run = async (sql: string) => {
      await tables.begin();
      shop.db.exec(`insert into orders values ('new', 'paid'); ${sql}`);
      await tables.end();
    };
    await run("");
    await tables.putBack();
    await run("");
    expect(await tables.learn([])).toBe(false);
    await tables.putBack();
    await run("insert into orders values ('mine', 'paid')");
    expect(await tables.hasNew()).toBe(true);
    await tables.putBack();
    expect(everything(shop.file).orders).toEqual(shop.before.orders);
    if (how === "ends") await tables.close();
    else {
      const record = join(shop.cwd, "state/sandglass/trials", shop.left()[0]!, "record.json");
      writeFileSync(record, JSON.stringify({ ...JSON.parse(readFileSync(record, "utf8")), pid: 0 }));
      await (await open()).close();
    }
    expect(everything(shop.file).orders).toEqual([
      ...shop.before.orders,
      expect.objectContaining({ reference: "mine" }),
    ]);
    expect(stderr.mock.calls).toEqual([[expect.stringMatching(/orders/)]]);
  },
);

it("tables that were renamed while a scenario ran keep their rows", async () => {
  const file = join(folderOf(), "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.exec(ROWS);
  const putBack = await keepTables(`sqlite:${file}`);
  db.exec("alter table odd rename to strange; create table fresh (line); insert into fresh values (1)");
  db.exec("update orders set status = 'changed'");
  await putBack();
  expect(db.prepare("select count(*) from strange").pluck().get()).toBe(7);
  expect(db.prepare("select count(*) from fresh").pluck().get()).toBe(1);
  expect(db.prepare("select distinct status from orders").pluck().all()).toEqual(["paid", "cancelled"]);
});

describe("a database that does not look like one of test data", () => {
  it("is refused without a terminal, and explored with --yes, which is remembered", async () => {
    const shop = await openShop();
    shop.db.exec(
      "create table many (n); with recursive n(n) as (select 1 union all select n + 1 from n where n < 100001) insert into many select n from n",
    );
    expectMisuse(await shop.explore(), /shop\.db has 1000\d\d rows, and test data rarely more than 100000\./);
    const tables = [...configured({ tables: ["orders"] }), "--deviations", "1"];
    expect((await shop.explore(...tables, "--yes")).code).toBe(0);
    expect((await shop.explore(...tables)).code).toBe(0);
  });
});

describe("a scenario that puts tables back", () => {
  it("loses nothing when it is killed: the next command puts the rows back", async () => {
    const shop = await openShop();
    const cwd = folderOf({
      "slow.ts": `
        import { defineScenario, keepTables } from "sandglass";
        export default defineScenario({
          name: "slow",
          title: "Orders change",
          async run({ step }) {
            await step("Change", async () => {
              await keepTables(${JSON.stringify(`sqlite:${shop.file}`)});
              console.log("copied");
              await new Promise((resolve) => setTimeout(resolve, 60_000));
            });
          },
        });`,
    });
    const cli = startCli(["run", "./slow.ts"], { cwd, env: shop.env });
    await expect.poll(shop.left).toHaveLength(1);
    await expect
      .poll(() => existsSync(join(shop.cwd, "state/sandglass/trials", shop.left()[0]!, "ledger.db")))
      .toBe(true);
    shop.db.exec("update orders set status = 'changed'; delete from notes where line = 'one'");
    const ledger = () => {
      const db = new Database(join(shop.cwd, "state/sandglass/trials", shop.left()[0]!, "ledger.db"));
      try {
        return db.prepare("select count(distinct tbl) from noted_last").pluck().get();
      } catch {
        return 0;
      } finally {
        db.close();
      }
    };
    await expect.poll(ledger).toBeGreaterThan(1);
    cli.kill("SIGKILL");
    await cli.ended;
    await readState(`sqlite:${shop.file}`);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });
});
