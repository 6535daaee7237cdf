// What the API figures are held against: Fastify and better-sqlite3 with nothing around them.
import Database from "better-sqlite3";
import Fastify from "fastify";

const db = new Database(":memory:");
db.exec(`create table links (id text primary key, name text, amount text, token_address text, chain_id integer,
  recipient_address text, created_at integer)`);
const insert = db.prepare("insert into links values (?, ?, ?, ?, ?, ?, ?)");
const read = db.prepare("select * from links where id = ?");
for (let index = 0; index < 1_000; index += 1)
  insert.run(`pl_${index}`, `Link ${index}`, "2500000", "0x0", 8453, "0x0", index);

const app = Fastify();
let next = 1_000;
app.get("/links/:id", async (request) => read.get(request.params.id));
app.post("/links", async (request, reply) => {
  const { name, amount } = request.body;
  next += 1;
  insert.run(`pl_${next}`, name, amount, "0x0", 8453, "0x0", next);
  return reply.code(201).send(read.get(`pl_${next}`));
});
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
