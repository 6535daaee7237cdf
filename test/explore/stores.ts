import { symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { folderOf } from "../support/cli.ts";
import { startPostgrest } from "../support/outside/postgrest.ts";
import { portOfItsOwn } from "../support/ports.ts";
import type { PostgresServer } from "../support/postgres.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { ACME } from "./acme.ts";

const { Pool } = createRequire(import.meta.url)("pg");

const TABLES = `
create table orders (n serial primary key, id text, status text);
create table payments (id text primary key, amount int);
create table profiles (id text primary key, credits int);
insert into profiles values ('ord_1', 100);
create function add(account text, amount int) returns int language sql as
  'update profiles set credits = credits + amount where id = account returning credits';
create function add_credits(event text, account text, amount int) returns int language sql as $$
  with claimed as (insert into payments values (event, amount) on conflict do nothing returning 1)
  update profiles set credits = credits + amount where id = account and exists (select from claimed) returning credits
$$;`;

export interface StoreTrial {
  /** The files of the server. The command starts one of them. */
  files: Record<string, string>;
  start?: string;
  story: "payment" | "cancel";
  path?: string;
  /** The folder in which to create the project, so it finds the packages there; by default, a folder with only pg. */
  below?: string;
}

/**
 * Explores a server that accesses its rows through PostgREST, with one deviation.
 * @param name the name of the server's own database
 */
export async function exploreStore(
  postgres: PostgresServer,
  name: string,
  { files, start = "node server.mjs", story, path = "/webhooks", below }: StoreTrial,
) {
  const url = await postgres.create(name);
  const pool = new Pool({ connectionString: url });
  onTestFinished(() => pool.end());
  pool.on("error", () => undefined);
  await pool.query(TABLES);
  const subject = {
    ...{ sender: "acme.yaml", state: url, inPlace: true, gate: ["SUPABASE_URL"], start },
  };
  const cwd = folderOf(
    {
      ...files,
      "acme.yaml": ACME,
      "sandbox.config.json": JSON.stringify({ senders: ["acme.yaml"], subject }),
    },
    below,
  );
  // The trial reads the database with the package pg of the project.
  if (!below) symlinkSync(join(postgres.project, "node_modules"), join(cwd, "node_modules"));
  const store = await startPostgrest(pool);
  const { code, stdout, stderr } = await runWarmCli(
    [
      ...["explore", `http://127.0.0.1:${await portOfItsOwn()}${path}`, "--story", story],
      ...["--secret", "test_secret", "--deviations", "1"],
    ],
    { cwd, env: { SUPABASE_URL: store, STORE_URL: store } },
  );
  return { code, text: (stdout + stderr).replaceAll(/\s+/g, " "), stdout };
}

/**
 * @param client code that imports what the handler needs
 * @param handle the body of an async function of an event and `db`
 */
export const storeServer = (client: string, handle: string): string => `
import { createServer } from "node:http";
${client}
async function handle({ id, type, order, amount }) { ${handle} }
createServer(async (request, response) => {
  let text = "";
  for await (const part of request) text += part;
  response.statusCode = await handle(JSON.parse(text)).then(() => 204, () => 503);
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");`;
