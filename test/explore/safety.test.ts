import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { keepTables, readState } from "../../src/index.ts";
import { overlayFor, removeLayers } from "../../src/trial/database/sqlite/overlay.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { startCli } from "../support/built.ts";
import { configured, expectMisuse, folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { everything, ONLY_NAMED, openShop, ROWS } from "./safety.ts";

/** Whether this system can make the copy appear to a server at the database's own path. */
const hasOverlays = (() => {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-overlay-"));
  try {
    mkdirSync(join(folder, "shop"));
    return (
      overlayFor(join(folder, "shop/shop.db"), join(folder, "copy.db"), join(folder, "layers")).length > 0
    );
  } finally {
    removeLayers(join(folder, "layers"));
    rmSync(folder, { recursive: true });
  }
})();

/**
 * A server with the same rows, stored in the file that an environment variable names. It handles events slowly enough
 * to be killed in the middle.
 */
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

describe("a trial with --start", () => {
  it("explore --start only reads the SQLite file, and the next command removes the copy that a killed trial left behind", async () => {
    const shop = await openShop();
    shop.db.pragma("wal_checkpoint(truncate)");
    shop.db.close();
    const bytes = readFileSync(shop.file);
    const cwd = folderOf({ "server.mjs": SERVER("DB_FILE") });
    const args = [
      ...["explore", `127.0.0.1:${await portOfItsOwn()}`, "--secret", "whsec_test"],
      ...["--start", "node server.mjs", "--state", `sqlite:${shop.file}`],
      ...["--story", "late-payment", "--deviations", "1", ...configured({ databaseEnv: ["DB_FILE"] })],
    ];
    const ended = await runWarmCli(args, { cwd, env: shop.env });
    expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(ONLY_NAMED)]);
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

  it.runIf(hasOverlays)(
    "a server with a hard-coded SQLite path gets a copy at that path, and a kill leaves the original file unchanged",
    async () => {
      const shop = await openShop();
      shop.db.pragma("wal_checkpoint(truncate)");
      shop.db.close();
      const state = folderOf();
      const env = { XDG_STATE_HOME: state };
      vi.stubEnv("XDG_STATE_HOME", state);
      const left = () => readdirSync(join(state, "sandglass/trials"));
      const { mtimeMs } = statSync(shop.file);
      const bytes = readFileSync(shop.file);
      // The server also writes files next to its database.
      const files = {
        "server.mjs": `${SERVER("NOTHING")}import { appendFileSync } from "node:fs";\nappendFileSync("started.log", "x");`,
      };
      for (const [name, text] of Object.entries(files)) writeFileSync(join(shop.cwd, name), text);
      const names = readdirSync(shop.cwd);
      const args = [
        ...["explore", `127.0.0.1:${await portOfItsOwn()}`, "--secret", "whsec_test"],
        ...["--start", "node server.mjs", "--state", "sqlite:shop.db", "--story", "late-payment"],
      ];
      const expectUnchanged = () => {
        expect(readFileSync(shop.file).equals(bytes)).toBe(true);
        expect(statSync(shop.file).mtimeMs).toBe(mtimeMs);
        // Reading a database in WAL mode creates its log files, which stay empty.
        const log = `${shop.file}-wal`;
        expect(existsSync(log) ? statSync(log).size : 0).toBe(0);
        expect(readdirSync(shop.cwd).filter((name) => !/^sandglass$|-(?:shm|wal)$/.test(name))).toEqual(
          names,
        );
      };
      const ended = await runWarmCli([...args, "--deviations", "1"], { cwd: shop.cwd, env });
      expect([ended.code, ended.stderr]).toEqual([1, expect.stringMatching(ONLY_NAMED)]);
      expectUnchanged();
      expect(left()).toEqual([]);

      const killed = startCli(args, { cwd: shop.cwd, env });
      await expect.poll(left).toHaveLength(1);
      await killed.saw(/schedules|./);
      killed.kill("SIGKILL");
      await killed.ended;
      expectUnchanged();
      await readState(`sqlite:${shop.file}`);
      expect(left()).toEqual([]);
    },
  );

  it.runIf(hasOverlays)(
    "servers that run at the same time on one copy do not share the files next to it, and a restarted server finds its own",
    async () => {
      const folder = folderOf();
      const layers = join(folderOf(), "layers");
      onTestFinished(() => removeLayers(layers));
      const [unshare = "", ...args] = overlayFor(
        join(folder, "shop.db"),
        join(folderOf(), "copy.db"),
        layers,
      );
      /** Writes a note next to the database, and exits when its input ends. */
      const write = (note: string) => {
        const child = spawn(unshare, [...args, "sh", "-c", `echo ${note} >>notes; cat notes; read line`], {
          cwd: folder,
          stdio: ["pipe", "pipe", "inherit"],
        });
        const ended = once(child, "close");
        return {
          notes: once(child.stdout, "data").then(([text]) => String(text)),
          end() {
            child.stdin.end();
            return ended;
          },
        };
      };
      const one = write("one");
      expect(await one.notes).toBe("one\n");
      const two = write("two");
      expect(await two.notes).toBe("two\n");
      await one.end();
      const again = write("again");
      expect(await again.notes).toBe("one\nagain\n");
      await Promise.all([two.end(), again.end()]);
      expect(readdirSync(folder)).toEqual([]);
    },
  );

  it.runIf(hasOverlays)(
    "a server that creates its own SQLite file creates only the copy's file",
    async () => {
      const made = `const db = new Database(${JSON.stringify("new.db")});\ndb.exec("create table if not exists orders (reference text primary key, status text); create table if not exists notes (line text)");`;
      const cwd = folderOf({ "server.mjs": SERVER("NOTHING").replace(/const db = .*/, made) });
      const { code, stderr } = await runWarmCli(
        [
          ...[
            "explore",
            `127.0.0.1:${await portOfItsOwn()}`,
            "--secret",
            "whsec_test",
            "--story",
            "late-payment",
          ],
          ...["--start", "node server.mjs", "--state", "sqlite:new.db", "--deviations", "1"],
        ],
        { cwd, env: { XDG_STATE_HOME: folderOf() } },
      );
      expect([code, stderr]).toEqual([1, expect.stringMatching(ONLY_NAMED)]);
      expect(existsSync(join(cwd, "new.db"))).toBe(false);
    },
  );

  it("explore restores a SQLite file after a server ignored its copy, and names the variables that the server got", async () => {
    const shop = await openShop();
    const cwd = folderOf({ "server.mjs": SERVER("NOTHING").replace('"shop.db"', JSON.stringify(shop.file)) });
    const port = await portOfItsOwn();
    // Without this program, the copy cannot appear at the file's own path.
    const programs = folderOf();
    symlinkSync(process.execPath, join(programs, "node"));
    const { code, stderr } = await runWarmCli(
      [
        ...["explore", `127.0.0.1:${port}`, "--secret", "whsec_test", "--story", "late-payment"],
        ...["--start", "node server.mjs", "--state", `sqlite:${shop.file}`],
        ...configured({ databaseEnv: ["DB"] }),
      ],
      { cwd, env: { ...shop.env, PATH: programs } },
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
});

describe("a trial in place", () => {
  it("an in-place trial starts only with --in-place or the matching setting", async () => {
    const shop = await openShop();
    const args = shop.args.filter((one) => one !== "--in-place");
    const refused = await runWarmCli(args, shop);
    expectMisuse(refused, /Your server works on sqlite:shop\.db itself\. .*restored to their current rows\./);
    expect(refused.stderr).toContain("add --in-place");
    expect(shop.handled()).toBe(0);
    const more = ["--deviations", "1", ...configured({ inPlace: true })];
    expect(await runWarmCli([...args, ...more], shop)).toMatchObject({ code: 0, stderr: "" });
    expectMisuse(await runWarmCli(["check", ...args.slice(1, 6)], shop), /works on sqlite:shop\.db itself/);
  });

  it("an in-place trial restores rows with their rowids, bytes and infinities", async () => {
    const shop = await openShop();
    const { code } = await shop.explore("--deviations", "1");
    expect(code).toBe(0);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(() => shop.db.exec("insert into found (found) values ('integrity-check')")).not.toThrow();
    expect(shop.left()).toEqual([]);
  });

  it("an in-place trial restores the rows even if explore's output is closed", async () => {
    const shop = await openShop();
    const cli = shop.start("--deviations", "1", ...configured({ all: true }));
    await expect.poll(shop.handled).toBeGreaterThan(20);
    cli.closeOutput();
    await cli.ended;
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });

  it("an in-place trial lets the user decide if rows changed after it was killed", async () => {
    const shop = await openShop();
    const kill = async () => {
      const cli = shop.start("--deviations", "9");
      const handled = shop.handled();
      await expect.poll(shop.handled).toBeGreaterThan(handled + 40);
      cli.kill("SIGKILL");
      await cli.ended;
      shop.db.exec("insert into notes values ('by hand')");
    };
    const decide = (flag: string) => runWarmCli(["explore", flag, "--state", "sqlite:shop.db"], shop);
    await kill();
    const refused = await shop.explore("--deviations", "1");
    expect(refused.code).toBe(3);
    expect(refused.stderr).toMatch(/was interrupted, .*: .*notes/);
    expect(refused.stderr).toMatch(/--restore --state sqlite:shop\.db.*--keep --state sqlite:shop\.db/s);
    expect(await decide("--restore")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("from the start of that trial"),
    });
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);

    await kill();
    const present = everything(shop.file);
    expect(await decide("--keep")).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("was left as it is"),
    });
    expect(everything(shop.file)).toEqual(present);
    expect(shop.left()).toEqual([]);
    expect(await decide("--keep")).toMatchObject({ code: 2 });
  });

  it("the next in-place trial, started from any path, restores the rows of a killed one if nothing else changed them", async () => {
    const shop = await openShop();
    const tables = await openTables(`sqlite:${shop.file}`, { idleMs: 0 });
    await tables.putBack();
    for (const status of ["first", "second"]) {
      await tables.begin();
      shop.db.exec(`update orders set status = '${status}'; update notes set line = '${status}'`);
      await tables.end();
    }
    // Simulate a kill: the copy still exists, and its lock has been released.
    copyFileSync(`${shop.file}.sandglass`, join(shop.cwd, "copied"));
    const changed = everything(shop.file);
    await tables.close();
    shop.db.exec("update orders set status = 'second'; update notes set line = 'second'");
    copyFileSync(join(shop.cwd, "copied"), `${shop.file}.sandglass`);
    expect(everything(shop.file)).toEqual(changed);
    const { code, stderr } = await runWarmCli(
      [...shop.args, "--state", `sqlite:../${shop.cwd.split("/").at(-1)}/shop.db`, "--deviations", "1"],
      shop,
    );
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining("was killed. Its rows were restored in notes, orders."),
    ]);
    expect(everything(shop.file)).toEqual(shop.before);
    expect(shop.left()).toEqual([]);
  });

  it("an in-place trial stops without restoring any rows if a table changes in only one of two runs", async () => {
    const shop = await openShop();
    const tables = await openTables(`sqlite:${shop.file}`, { idleMs: 0 });
    const run = async (sql: string) => {
      await tables.begin();
      shop.db.exec(`insert into orders values ('new', 'paid'); ${sql}`);
      await tables.end();
    };
    for (const sql of ["", "", "insert into notes values ('theirs')", ""]) {
      await tables.putBack();
      await run(sql);
    }
    // The next run did not change that table again.
    const message = expect.stringMatching(/notes in .* changed once, .* nothing was restored/);
    const stopped = { code: "invalid_state", message };
    await expect(tables.putBack()).rejects.toMatchObject(stopped);
    await expect(tables.read()).rejects.toMatchObject(stopped);
    await tables.close();
    const now = everything(shop.file);
    expect(now.orders).toContainEqual(expect.objectContaining({ reference: "new" }));
    expect(now.notes).toContainEqual(expect.objectContaining({ line: "theirs" }));
    expect(shop.left()).toEqual(["shop.db.sandglass"]);
  });

  it("an in-place trial lists tables that change constantly, and leaves them alone", async () => {
    const shop = await openShop();
    shop.db.exec("create table beats (at)");
    const timer = setInterval(() => shop.db.exec("insert into beats values (1)"), 5);
    onTestFinished(() => clearInterval(timer));
    const { code, stderr } = await shop.explore("--deviations", "1");
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(
        "shop.db changes without a request: beats. These tables are neither compared nor restored.",
      ),
    ]);
    expect(shop.db.prepare("select count(*) from beats").pluck().get()).toBeGreaterThan(10);
    expect(everything(shop.file)).toEqual(shop.before);
  });

  it("an in-place trial refuses to start during another trial on the same file, whatever its path", async () => {
    const shop = await openShop();
    const tables = await openTables(`sqlite:${shop.file}`, { idleMs: 0 });
    await tables.putBack();
    const second = await openTables(`sqlite:${join(shop.cwd, "..", shop.cwd.split("/").at(-1)!, "shop.db")}`);
    await expect(second.putBack()).rejects.toMatchObject({
      message: expect.stringContaining("Another Sandglass trial is using"),
    });
    await second.close();
    await tables.close();
    const link = join(shop.cwd, "link.db");
    linkSync(shop.file, link);
    await expect(openTables(`sqlite:${link}`)).rejects.toMatchObject({
      message: `The database ${link} has 2 names (hard links), and its log is not next to this one.`,
    });
    rmSync(link);
  });
});

it("restoring tables leaves a renamed table alone, and keeps the copy", async () => {
  const file = join(folderOf(), "shop.db");
  const db = new Database(file);
  onTestFinished(() => void db.close());
  db.exec(ROWS);
  const putBack = await keepTables(`sqlite:${file}`);
  db.exec("alter table odd rename to strange");
  db.exec("update orders set status = 'changed'");
  await expect(putBack()).rejects.toMatchObject({
    message: expect.stringMatching(/altered or dropped during the trial.*: odd\. The backup is/),
  });
  db.exec("alter table strange rename to odd");
  expect(db.prepare("select count(*) from odd").pluck().get()).toBe(7);
});

describe("a database that does not look like test data", () => {
  it("explore asks for --yes once if a database has too many rows for test data", async () => {
    const shop = await openShop();
    shop.db.exec(
      "create table many (n); with recursive n(n) as (select 1 union all select n + 1 from n where n < 100001) insert into many select n from n",
    );
    expectMisuse(
      await shop.explore(),
      /shop\.db has 1000\d\d rows, but test data rarely has more than 100000\./,
    );
    const args = [
      "check",
      ...shop.args.slice(1, 7),
      "--only",
      "unicode",
      ...configured({ tables: ["orders"] }),
    ];
    expect((await runWarmCli([...args, "--yes"], shop)).code).toBe(0);
    expect((await runWarmCli(args, shop)).code).toBe(0);
  });
});
