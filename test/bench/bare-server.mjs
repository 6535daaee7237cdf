// The baseline for the API benchmarks: only Fastify and better-sqlite3, responding with a row of the same shape.
import Database from "better-sqlite3";
import Fastify from "fastify";

const db = new Database(":memory:");
db.exec(`create table links (id text primary key, org text, name text, short_code text, description text, amount text, token_address text,
  chain_id integer, recipient_address text, active integer, current_uses integer, max_uses integer, expires_at text, product_id text,
  return_url text, url text, created_at text, updated_at text)`);
const insert = db.prepare(`insert into links values (${Array(18).fill("?").join(", ")})`);
const read = db.prepare("select * from links where id = ?");
const at = "2026-01-15T09:00:00.000Z";
const row = (id, name, amount) => [
  id,
  "org_Nl7hQ2vKx0RtB4wZ",
  name,
  "Ab3xYz",
  null,
  amount,
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
  8453,
  "0x6b1c8f0a94d27e35b3f0c1a2d9e84756f3a7c218",
  1,
  0,
  null,
  null,
  null,
  null,
  "http://127.0.0.1:4400/platform/pay/Ab3xYz",
  at,
  at,
];
for (let index = 0; index < 1_000; index += 1) insert.run(...row(`pl_${index}`, `Link ${index}`, "2500000"));

const app = Fastify();
let next = 1_000;
app.get("/links/:id", async (request) => read.get(request.params.id));
app.post("/links", async (request, reply) => {
  const { name, amount } = request.body;
  next += 1;
  insert.run(...row(`pl_${next}`, name, amount));
  return reply.code(201).send(read.get(`pl_${next}`));
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
