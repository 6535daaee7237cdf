import { symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { folderOf } from "../support/cli.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { type PostgresServer, startPostgres } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";

/** Starts a Postgres server for the tests of a group. */
export function servePostgres(): { server(): PostgresServer; openShop(): ReturnType<typeof openShop> } {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());
  return { server: () => server, openShop: () => openShop(server) };
}

export const { Client } = createRequire(import.meta.url)("pg");
export async function withClient<Result>(
  // biome-ignore lint/suspicious/noExplicitAny: pg has no types here
  work: (client: any) => Promise<Result>,
  url: string,
): Promise<Result> {
  const client = new Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** A server whose handler for an event is `body`. */
const serverOf = (server: PostgresServer, body: string) => `
const { createServer } = process.getBuiltinModule("node:http");
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
const read = (file) => readFileSync(file, "utf8");
const { Pool } = createRequire(${JSON.stringify(join(server.project, "server.js"))})("pg");
const pool = new Pool({ connectionString: process.env.DATABASE_URL ?? "" });
pool.on("error", () => undefined);
const query = (...values) => pool.query(...values);
async function unheard(work, listen = () => undefined) {
  const client = await pool.connect();
  listen(client);
  try {
    await client.query("begin");
    await work((...values) => client.query(...values));
    await client.query("commit");
    client.release();
  } catch (error) {
    await client.query("rollback").then(() => client.release(), () => client.release(true));
    throw error;
  }
}
const transaction = (work) => unheard(work, (client) => client.on("error", () => undefined));
const PAY = "insert into orders values ($1, 1) on conflict (id) do update set paid = orders.paid + 1";
async function handle(id, order) { ${body} }
createServer(async (request, response) => {
  let text = "";
  for await (const chunk of request) text += chunk;
  try {
    await handle(request.headers["webhook-id"], JSON.parse(text).type);
    response.end();
  } catch (error) { console.error(error); response.writeHead(500).end(); }
}).listen(Number(process.env.PORT), "127.0.0.1");`;

/** A separate database, and a project with a server that uses it. */
async function openShop(server: PostgresServer) {
  const port = await portOfItsOwn();
  await server.query(`create database shop_${port}`);
  const url = server.url.replace(/\/postgres$/, `/shop_${port}`);
  await withClient(
    (client) =>
      client.query(
        "create table seen (id text); create table events (id text primary key); create table orders (id text primary key, paid int)",
      ),
    url,
  );
  const cwd = folderOf({
    "sandbox.config.json": JSON.stringify({
      subject: {
        url: `127.0.0.1:${port}`,
        // Using only one event keeps the exploration short.
        ...{ sender: "polar", events: "order.paid" },
        deviations: 1,
        state: url,
        start: "node server.mjs",
      },
    }),
  });
  symlinkSync(join(server.project, "node_modules"), join(cwd, "node_modules"));
  const env = { XDG_STATE_HOME: join(cwd, "state"), NODE_PATH: "", SANDGLASS_WEBHOOK_SECRET: "whsec_test" };
  return (body: string, ...args: string[]) => {
    writeFileSync(join(cwd, "server.mjs"), serverOf(server, body));
    return runWarmCli(args, { cwd, env });
  };
}

export const ONCE = `await transaction(async (query) => {
  const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
  if (rowCount > 0) await query(PAY, [order]);
});`;
export const LOOK = `await transaction(async (query) => {
  const { rows } = await query("select 1 from seen where id = $1", [id]);
  if (rows.length > 0) return;
  await query("insert into seen values ($1)", [id]);
  await query(PAY, [order]);
});`;
export const ID_FIRST = `const { rowCount } = await query("insert into events values ($1) on conflict do nothing", [id]);
  if (rowCount > 0) await query(PAY, [order]);`;
/** The handler takes the id back after an error, so only a crash leaves the id there. */
export const UNDONE = ID_FIRST.replace(
  "await query(PAY, [order])",
  `await query(PAY, [order]).catch(async (error) => {
    await query("delete from events where id = $1", [id]);
    throw error;
  })`,
);
