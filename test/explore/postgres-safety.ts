import { ROOT } from "../support/docs.ts";

export const ROWS = `
  create table orders (reference text primary key, status text, at timestamptz default now());
  create table notes (id serial primary key, line text, number float8);
  create table plain (line text);
  create table bare ();
  insert into orders values ('old-1', 'paid'), ('old-2', 'cancelled');
  insert into notes (line, number) values ('one', 'infinity'), ('two', '0.1'), (null, 'nan');
  insert into plain values ('same'), ('same'), (null);
  insert into bare default values;`;

/** A server that stores orders in a database. @param address in code */
export const SERVER = (address: string) => `
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
