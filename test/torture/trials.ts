import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { connect } from "node:net";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import Database from "better-sqlite3";
import { openTables, restoreTables } from "../../src/trial/database/tables.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { hasPostgres, type PostgresServer, startPostgres } from "../support/postgres.ts";
import { Finding } from "./finding.ts";
import { type Bench, type Figures, type Part, sleep, withBench } from "./part.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const CLI = join(ROOT, "dist/cli/main.js");
/** How long a kill may be waited for, and how long what it ends may take. */
const MOST_MS = 3_000;
const PATIENCE_MS = 10_000;
const DISK_KB = 64;
/** So many events are handled until explore knows what the shop does. */
const LEARNT = 8;

export const trials: Part = {
  name: "trials",
  about: "explore over databases with rows: kills, other writers, a full disk, servers that do not end",
  unit: "rounds",
  ciCount: 12,
  run: (options) => withBench("trials", options, torture),
};

const ROWS = (serial: string) => `
  create table orders (reference varchar(40) primary key, status varchar(40));
  create table notes (id ${serial}, line varchar(40));
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes (line) values ('one'), ('two'), ('three');`;

/** A correct shop that does not end by itself when it is asked to, with the database that its environment names. */
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

/** A database of a round. */
interface Subject {
  state: string;
  /** As the server takes it. */
  address: string;
  run(sql: string): Promise<void>;
  /** All rows, as text. */
  rows(): Promise<string>;
}

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

async function torture(bench: Bench): Promise<Figures> {
  const { folder, goesOn, progress, chance } = bench;
  process.env.XDG_STATE_HOME = join(folder, "state");
  writeFileSync(join(folder, "shop.mjs"), SHOP);
  const postgres = hasPostgres() ? await startPostgres() : undefined;
  const totals = {
    rounds: 0,
    kills: 0,
    "other writers": 0,
    "full disks": 0,
    "rows that stayed and were listed": 0,
  };
  try {
    for (; goesOn(totals.rounds); totals.rounds += 1) {
      const name = `round_${totals.rounds}`;
      const isPostgres = postgres !== undefined && totals.rounds % 2 === 1;
      const subject = isPostgres
        ? await postgresSubject(postgres, name)
        : sqliteSubject(join(folder, `${name}.db`));
      await subject.run(ROWS(isPostgres ? "serial primary key" : "integer primary key"));
      const kind = ["kill", "kill with --start", "writer", "disk"][Math.floor(totals.rounds / 2) % 4]!;
      await round(bench, subject, kind, postgres?.project ?? folder, totals);
      progress(`${kind}, ${isPostgres ? "Postgres" : "SQLite"}`);
    }
  } finally {
    await postgres?.close();
    chance.next();
  }
  return totals;
}

async function round(
  { chance, folder }: Bench,
  subject: Subject,
  kind: string,
  cwd: string,
  totals: {
    kills: number;
    "other writers": number;
    "full disks": number;
    "rows that stayed and were listed": number;
  },
): Promise<void> {
  const before = await subject.rows();
  const port = await portOfItsOwn();
  const command = `exec ${process.execPath} ${join(folder, "shop.mjs")}`;
  const starts = kind === "kill with --start";
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
    // The copy of a Postgres database is in the database.
    const isFile = subject.state.startsWith("sqlite:");
    const disk = kind === "disk" && isFile ? mountDisk(join(folder, `disk-${port}`)) : undefined;
    if (kind === "disk" && !disk) return;
    const explore = spawn(
      process.execPath,
      [
        ...[CLI, "explore", `127.0.0.1:${port}`, "--secret", "whsec_test", "--story", "late-payment"],
        ...["--state", subject.state, "--deviations", kind.startsWith("kill") ? "9" : "1"],
        ...(starts ? ["--start", command] : []),
      ],
      {
        cwd,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, ...(disk && { XDG_STATE_HOME: disk }) },
      },
    );
    const ended = endOf(explore);
    if (kind.startsWith("kill")) {
      await sleep(300 + chance.next() * MOST_MS);
      explore.kill("SIGKILL");
      await ended;
      totals.kills += 1;
      if (starts) await until(async () => !(await isOpen(port)), "The server of --start did not end");
      // An answer may still be under way.
      await sleep(100);
      totals["rows that stayed and were listed"] += await recover(subject, before);
    } else if (kind === "writer") {
      // In the first runs, explore learns what the shop does.
      await until(async () => handled > LEARNT, "The shop was not called");
      await sleep(chance.next() * 1_000);
      await subject.run("insert into notes (id, line) values (1000, 'of another program')");
      await ended;
      totals["other writers"] += 1;
      const now = await subject.rows();
      if (!now.includes("of another program")) throw new Finding(`Another program's row is gone: ${now}`);
      await subject.run("delete from notes where id = 1000");
    } else if (disk) {
      const { code, output } = await ended;
      if (code !== 3 || !output.includes("The copy that keeps your rows safe cannot be written"))
        throw new Finding(`A full disk ended explore with ${code}: ${output}`);
      totals["full disks"] += 1;
      execFileSync("umount", ["-l", disk]);
    }
    const after = await subject.rows();
    if (after !== before)
      throw new Finding(`After ${kind}, ${subject.state} has ${after}, and had ${before}.`);
  } finally {
    shop?.kill("SIGKILL");
  }
}

/** Lets the next command put the rows back, and what it lists by the copy. @returns how many rows it listed */
async function recover(subject: Subject, before: string): Promise<number> {
  let said = "";
  const { write } = process.stderr;
  process.stderr.write = (message) => {
    said += message;
    return true;
  };
  try {
    await (await openTables(subject.state)).close();
  } finally {
    process.stderr.write = write;
  }
  if ((await subject.rows()) === before) return 0;
  if (!said.includes("the copy of before is"))
    throw new Finding(
      `Rows of ${subject.state} were neither put back nor listed: ${await subject.rows()}; ${said}`,
    );
  await restoreTables(subject.state);
  return 1;
}

function endOf(child: ChildProcess): Promise<{ code: number | null; output: string }> {
  let output = "";
  for (const stream of [child.stdout!, child.stderr!])
    stream.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
  return new Promise((resolve) => child.once("close", (code) => resolve({ code, output })));
}

/** A disk with room for a record, and for no copy; undefined where this user cannot mount one. */
function mountDisk(disk: string): string | undefined {
  mkdirSync(disk);
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", `size=${DISK_KB}k`, "tmpfs", disk], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  writeFileSync(join(disk, "full"), Buffer.alloc((DISK_KB - 8) * 1024));
  return disk;
}
