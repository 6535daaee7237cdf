import { existsSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished, vi } from "vitest";
import { openTables } from "../../src/trial/database/tables.ts";
import { startCli } from "../support/built.ts";
import { folderOf } from "../support/cli.ts";
import { ROOT } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { readEvent } from "./handlers.ts";
import { serveShop } from "./server.ts";

const ROWS = `
  create table orders (reference text primary key, status text, at timestamptz default now());
  create table notes (id serial primary key, line text, number float8);
  create table plain (line text);
  create table bare ();
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes (line, number) values ('one', 'infinity'), ('two', '0.1'), (null, 'nan');
  insert into plain values ('same'), ('same'), (null);
  insert into bare default values;`;

/**
 * A server that stores orders in a database.
 * @param address an expression for the database's URL
 */
const SERVER = (address: string) => `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const { Pool } = createRequire(${JSON.stringify(`${ROOT}package.json`)})("pg");
const pool = new Pool(${address});
pool.on("error", () => undefined);
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const order = data.checkoutSession?.clientReferenceId ?? data.client_reference_id;
  if (!request.headers["x-platform-test"])
    await pool.query("insert into orders values ($1, $2) on conflict (reference) do update set status = excluded.status", [order, event]);
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

/** A server that never responds again once two of its requests overlap. */
const BLOCKING = `
const { createServer } = process.getBuiltinModule("node:http");
import { createRequire } from "node:module";
const { Pool } = createRequire(${JSON.stringify(`${ROOT}package.json`)})("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL });
pool.on("error", () => undefined);
let open = 0;
let isBlocked = false;
createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const { event, data } = JSON.parse(Buffer.concat(chunks));
  const order = data.checkoutSession?.clientReferenceId ?? data.client_reference_id;
  if (request.headers["x-platform-test"] || event !== "payment.completed") return response.end();
  open += 1;
  isBlocked ||= open > 1;
  const client = await pool.connect();
  try {
    await client.query("begin");
    await client.query("insert into orders values ($1, $2) on conflict (reference) do update set status = excluded.status", [order, event]);
    if (isBlocked) await new Promise(() => {});
    await client.query("commit");
  } catch {
    response.statusCode = 500;
    await client.query("rollback").catch(() => undefined);
  }
  client.release();
  open -= 1;
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
`;

export const PARTS = ["DB_HOST", "DB_PORT", "DB_DATABASE", "DB_USERNAME", "DB_PASSWORD"];

let count = 0;

/** Creates a separate database, and a shop that stores its orders there. */
export async function openShop(server: PostgresServer) {
  count += 1;
  const name = `shop_${count}`;
  const url = await server.create(name);
  const query = async (text: string) => {
    const tables = await openClient(url);
    try {
      return await tables(text);
    } finally {
      await tables.end();
    }
  };
  await query(ROWS);
  const everything = () =>
    query(
      `select 'orders' as name, t::text as row from orders t union all select 'notes', t::text from notes t
       union all select 'plain', t::text from plain t union all select 'bare', t::text from bare t
       union all select 'next', last_value::text from notes_id_seq order by 1, 2`,
    );
  const cwd = folderOf({
    "server.mjs": SERVER("{ connectionString: process.env.DATABASE_URL }"),
    "round.mjs": SERVER("{ connectionString: process.env.ORIGINAL }"),
    "blocking.mjs": BLOCKING,
    "parts.mjs": `const { ${PARTS} } = process.env;
      ${SERVER("{ host: DB_HOST, port: DB_PORT, database: DB_DATABASE, user: DB_USERNAME, password: DB_PASSWORD }")}`,
  });
  // The folder contains the package pg, and no findings from other tests.
  symlinkSync(join(server.project, "node_modules"), join(cwd, "node_modules"));
  const env = { XDG_STATE_HOME: join(cwd, "state"), NODE_PATH: "", ORIGINAL: url };
  vi.stubEnv("XDG_STATE_HOME", env.XDG_STATE_HOME);
  onTestFinished(() => void vi.unstubAllEnvs());
  let handled = 0;
  const argsFor = async (file: string, state: string, ...more: string[]) => [
    ...["explore", `127.0.0.1:${await portOfItsOwn()}`, "--secret", "whsec_test", "--story", "late-payment"],
    ...["--start", `exec node ${join(cwd, file)}`, "--state", state, "--deviations", "1", ...more],
  ];
  return {
    ...{ name, url, query, everything, cwd, env, before: await everything() },
    handled: () => handled,
    /**
     * Uses the database again, which restores what a killed trial has left behind.
     * @returns the message to the user
     */
    async recover() {
      const stderr = vi.spyOn(process.stderr, "write").mockReturnValue(true);
      onTestFinished(() => stderr.mockRestore());
      await (await openTables(url)).close();
      return stderr.mock.calls.flat().join("");
    },
    /** Everything that trials have left behind on disk and on the server. */
    left: async () => [
      ...(existsSync(join(cwd, "state/sandglass/trials"))
        ? readdirSync(join(cwd, "state/sandglass/trials"))
        : []),
      ...(await server.query("select datname from pg_database where datname like 'sandglass%'")),
      ...(await query("select nspname from pg_namespace where nspname like 'sandglass%'")),
    ],
    /** Explores a server that the command starts, and waits until the exploration ends. */
    explore: async (file: string, state = url, ...more: string[]) =>
      runWarmCli(await argsFor(file, state, ...more), { cwd, env }),
    /** Tests a server that the command starts, and explores it for a moment. */
    async test(file: string, subject: object) {
      writeFileSync(join(cwd, "sandbox.config.json"), JSON.stringify({ subject }));
      const [, ...args] = await argsFor(file, url);
      return runWarmCli(
        ["test", "--budget", "5s", ...args.filter((one) => !/^(--deviations|1)$/.test(one))],
        { cwd, env },
      );
    },
    /** Explores the server in a separate process. */
    start: async () => startCli(await argsFor("server.mjs", url), { cwd, env }),
    /** Explores a shop that this process serves. */
    async serving(deviations: string) {
      const { Pool } = await pg();
      const pool = new Pool({ connectionString: url });
      const { url: address, close } = await serveShop({
        handler: async (request) => {
          const { type, order, isTest } = await readEvent(request);
          handled += 1;
          const kept = type === "payment.completed" ? "do update set status = 'paid'" : "do nothing";
          const status = type === "payment.completed" ? "paid" : "cancelled";
          if (!isTest)
            await pool.query(
              `insert into orders values ('${order}', '${status}') on conflict (reference) ${kept}`,
            );
          return new Response("OK");
        },
        reset: () => undefined,
        state: () => ({ orders: {}, revenue: 0 }),
      });
      const args = ["explore", address, "--secret", "whsec_test", "--in-place", "--story", "late-payment"];
      return {
        cli: startCli([...args, "--state", url, "--deviations", deviations], { cwd, env }),
        async end() {
          close();
          await pool.end();
        },
      };
    },
  };
}

export const pg = async () => (await import("node:module")).createRequire(import.meta.url)("pg");
export async function openClient(connectionString: string) {
  const { Client } = await pg();
  const client = new Client({ connectionString });
  await client.connect();
  return Object.assign(
    async (text: string) => {
      const result = await client.query(text);
      return (Array.isArray(result) ? result.at(-1) : result).rows as Record<string, unknown>[];
    },
    { end: () => client.end() },
  );
}
