import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, statfsSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { decide } from "../../src/trial/database/abandoned.ts";
import { openTables } from "../../src/trial/database/tables.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, sleep, withBench } from "./part.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(ROOT, "dist/cli/main.js");
/** How long explore runs before it is stopped, and how long it may take to stop. */
const MOST_MS = 3_000;
const PATIENCE_MS = 10_000;
const DISK_KB = 64;
export const trials: Part = {
  name: "trials",
  about:
    "explore over databases with rows, in place and with --start: kills, Ctrl-C, other writers, a full disk",
  unit: "rounds",
  ciCount: 12,
  run: (options) => withBench("trials", options, torture),
};

const ROWS = (serial: string) => `
  create table orders (reference varchar(40) primary key, status varchar(40));
  create table notes (id ${serial}, line varchar(40));
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes (line) values ('one'), ('two'), ('three');`;

/** A correct shop that does not exit when asked to, and uses the database that its environment names. */
const SHOP = `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const require = createRequire(${JSON.stringify(`${ROOT}package.json`)});
process.on("SIGTERM", () => undefined);
const address = process.env.DATABASE_URL;
const pool = address.startsWith("postgres") ? new (require("pg").Pool)({ connectionString: address }) : undefined;
pool?.on("error", () => undefined);
const db = pool ? undefined : new (require("better-sqlite3"))(address.replace(/^file:/, ""));
const PAID = "insert into orders values ($1, 'paid') on conflict (reference) do update set status = 'paid'";
const CANCELLED = "insert into orders values ($1, 'cancelled') on conflict (reference) do nothing";
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  if (request.method !== "POST") return response.end();
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const order = data.checkoutSession?.clientReferenceId ?? data.client_reference_id;
  const sql = event === "payment.completed" ? PAID : CANCELLED;
  if (!request.headers["x-platform-test"]) {
    if (pool) await pool.query(sql, [order]);
    else db.prepare(sql.replace("$1", "?")).run(order);
  }
  process.stdout.write(".");
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** A database for one round. */
interface Subject {
  state: string;
  /** The database's URL as the server uses it. */
  address: string;
  run(sql: string): Promise<void>;
  /** All rows in the database, as text. */
  rows(): Promise<string>;
  /** Everything that trials have left behind. */
  left(): Promise<string[]>;
}

/** The folders of database copies in this run's state folder. */
const folders = (): string[] => {
  const folder = join(process.env.XDG_STATE_HOME!, "sandglass/trials");
  return existsSync(folder) ? readdirSync(folder) : [];
};

const READ =
  "select 'orders' as name, reference as a, status as b from orders union all select 'notes', cast(id as varchar(40)), line from notes order by 1, 2";

function sqliteSubject(file: string): Subject {
  const use = <Result>(work: (db: Database.Database) => Result): Result => {
    const db = new Database(file, { timeout: PATIENCE_MS });
    try {
      return work(db);
    } finally {
      db.close();
    }
  };
  return {
    ...{ state: `sqlite:${file}`, address: `file:${file}` },
    run: async (sql) => void use((db) => db.exec(sql)),
    rows: async () => JSON.stringify(use((db) => db.prepare(READ).all())),
    left: async () => [
      ...folders(),
      ...readdirSync(dirname(file)).filter((name) => name.includes(".sandglass")),
    ],
  };
}

async function postgresSubject(server: PostgresServer, name: string): Promise<Subject> {
  await server.query(`create database ${name}`);
  const url = server.url.replace(/\/postgres$/, `/${name}`);
  const { Client } = createRequire(import.meta.url)("pg");
  const use = async (sql: string) => {
    const client = new Client({ connectionString: url });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  };
  return {
    ...{ state: url, address: url },
    run: async (sql) => void (await use(sql)),
    rows: async () => JSON.stringify(await use(READ)),
    left: async () =>
      (
        await use(
          "select nspname::text as name from pg_namespace union all select datname::text from pg_database",
        )
      ).flatMap(({ name }: { name: string }) => (name.startsWith("sandglass") ? name : [])),
  };
}

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    socket.once("close", () => socket.destroy());
  });

async function until(holds: () => Promise<boolean>, what: string): Promise<void> {
  for (const began = performance.now(); !(await holds()); await sleep(20))
    if (performance.now() - began > PATIENCE_MS)
      throw new Finding(`${what} within ${PATIENCE_MS / 1_000} s.`);
}

interface Totals extends Figures {
  rounds: number;
  kills: number;
  "Ctrl-C": number;
  "other writers": number;
  "full disks": number;
  "restored by the trial or the next command": number;
  "left to the user, and named": number;
}

async function torture(bench: Bench): Promise<Figures> {
  const { folder, goesOn, progress, chance } = bench;
  process.env.XDG_STATE_HOME = join(folder, "state");
  writeFileSync(join(folder, "shop.mjs"), SHOP);
  const postgres = hasPostgres() ? await startPostgres() : undefined;
  const totals: Totals = {
    ...{ rounds: 0, kills: 0, "Ctrl-C": 0, "other writers": 0, "full disks": 0 },
    ...{ "restored by the trial or the next command": 0, "left to the user, and named": 0 },
  };
  try {
    for (; goesOn(totals.rounds); totals.rounds += 1) {
      const name = `round_${totals.rounds}`;
      const isPostgres = postgres !== undefined && totals.rounds % 2 === 1;
      const subject = isPostgres
        ? await postgresSubject(postgres, name)
        : sqliteSubject(join(folder, `${name}.db`));
      await subject.run(ROWS(isPostgres ? "serial primary key" : "integer primary key"));
      const round: Round = {
        signal: Math.floor(totals.rounds / 2) % 2 === 0 ? "SIGKILL" : "SIGINT",
        starts: Math.floor(totals.rounds / 4) % 2 === 1,
        writes: totals.rounds % 5 === 4,
      };
      if (!isPostgres && totals.rounds % 20 === 10) await fullDisk(bench, totals);
      await play(bench, subject, round, postgres?.project ?? folder, totals);
      progress(`${Object.values(round).join(" ")}, ${isPostgres ? "Postgres" : "SQLite"}`);
    }
  } finally {
    await postgres?.close();
    chance.next();
  }
  return totals;
}

interface Round {
  /** The signal that stops explore, sent at a random moment. */
  signal: "SIGKILL" | "SIGINT";
  /** Whether explore starts the shop itself. */
  starts: boolean;
  /** Whether another program writes to its own table at a random moment. */
  writes: boolean;
}

/** The number of handled events after which explore has learned what the shop does. */
const LEARNT = 8;
const WRITTEN = "of another program";

async function play(
  { chance, folder }: Bench,
  subject: Subject,
  { signal, starts, writes }: Round,
  cwd: string,
  totals: Totals,
): Promise<void> {
  const before = await subject.rows();
  const port = await portOfItsOwn();
  const shop = starts
    ? undefined
    : spawn(process.execPath, [join(folder, "shop.mjs")], {
        env: { ...process.env, PORT: String(port), DATABASE_URL: subject.address },
        stdio: ["ignore", "pipe", "ignore"],
      });
  let handled = 0;
  shop?.stdout?.on("data", (dots: Buffer) => {
    handled += dots.length;
  });
  try {
    if (shop) await until(() => isOpen(port), "The shop did not start");
    const how = starts ? ["--start", `exec ${process.execPath} ${join(folder, "shop.mjs")}`] : ["--in-place"];
    const explore = spawn(
      process.execPath,
      [
        ...[CLI, "explore", `127.0.0.1:${port}`, "--secret", "whsec_test", "--story", "late-payment"],
        ...["--state", subject.state, "--deviations", "9", ...how],
      ],
      { cwd, stdio: ["ignore", "pipe", "pipe"] },
    );
    const ended = endOf(explore);
    await sleep(300 + chance.next() * MOST_MS);
    if (writes) {
      // Wait for this, because explore learns in the first two runs what the shop does.
      if (shop) await until(async () => handled > LEARNT, "The shop was not called");
      await subject.run(`insert into notes (id, line) values (1000, '${WRITTEN}')`);
      totals["other writers"] += 1;
      await sleep(chance.next() * 1_000);
    }
    explore.kill(signal);
    totals[signal === "SIGKILL" ? "kills" : "Ctrl-C"] += 1;
    const { output } = await ended;
    if (starts) await until(async () => !(await isOpen(port)), "The server of --start did not end");
    // A response may still be in transit.
    await sleep(100);
    await settle(subject, writes, totals);
    if (writes) await subject.run("delete from notes where id = 1000");
    const [after, left] = [await subject.rows(), await subject.left()];
    if (after !== before || left.length > 0)
      throw new Finding(
        `After ${signal}, ${subject.state} has ${after} and ${left}, and had ${before}. ${output}`,
      );
  } finally {
    shop?.kill("SIGKILL");
  }
}

/**
 * Lets the next command restore the rows. If it leaves the decision to the user, its message must list the options, and
 * both must work.
 */
async function settle(subject: Subject, writes: boolean, totals: Totals): Promise<void> {
  const refusal = await openTables(subject.state).then(
    (tables) => tables.close(),
    (error: Error & { hint?: string }) => error,
  );
  const rows = await subject.rows();
  if (writes && !rows.includes(WRITTEN))
    throw new Finding(`Another program's row is gone: ${rows}; ${refusal?.message}`);
  if (!refusal) {
    // If a trial is killed before its server is known to use the copy, and the database has changed since then, the
    // decision is left to the user.
    const isNamed = writes && (await subject.left()).length > 0;
    if (isNamed) await decide(subject.state, "keep");
    totals[isNamed ? "left to the user, and named" : "restored by the trial or the next command"] += 1;
    return;
  }
  if (!refusal.hint?.includes("--restore")) throw new Finding(refusal.message);
  totals["left to the user, and named"] += 1;
  await decide(subject.state, "restore");
  if (writes) await subject.run(`insert into notes (id, line) values (1000, '${WRITTEN}')`);
}

/** Explores a database on a disk that has no room for a copy. */
async function fullDisk({ folder }: Bench, totals: Totals): Promise<void> {
  const disk = mountDisk(join(folder, `disk-${totals.rounds}`));
  if (!disk) return;
  const subject = sqliteSubject(join(disk, "shop.db"));
  const before = await subject.rows();
  const tables = await openTables(subject.state, { idleMs: 0 });
  const refusal: Error | undefined = await tables.putBack().then(
    () => undefined,
    (error) => error,
  );
  await tables.close();
  if (!refusal || (await subject.rows()) !== before || (await subject.left()).length > 0)
    throw new Finding(`A full disk: ${refusal?.message}, ${await subject.rows()}, ${await subject.left()}`);
  totals["full disks"] += 1;
  execFileSync("umount", ["-l", disk]);
}

function endOf(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

/** Mounts a disk with a database and no room for a copy; undefined if this user cannot mount one. */
function mountDisk(disk: string): string | undefined {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_KB}k`, "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  const db = new Database(join(disk, "shop.db"));
  db.exec(ROWS("integer primary key"));
  db.close();
  const { bavail, bsize } = statfsSync(disk);
  writeFileSync(join(disk, "full"), Buffer.alloc(bavail * bsize));
  return disk;
}
