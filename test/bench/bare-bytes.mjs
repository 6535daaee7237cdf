// What cached answers are held against: a Fastify route that answers the bytes of a file.
import { readFileSync } from "node:fs";
import Fastify from "fastify";

const body = readFileSync(process.argv[2]);
const app = Fastify();
app.get("/bytes", async (_request, reply) => reply.type("application/json; charset=utf-8").send(body));
console.log(await app.listen({ port: 0, host: "127.0.0.1" }));
