import fastify from "fastify";
import { announce, port, reset, state, take } from "./shop.mjs";

const app = fastify();
app.removeAllContentTypeParsers();
app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post("/webhooks", (request, reply) => reply.code(take(request.body, request.headers)).send());
app.get("/state", () => state());
app.post("/reset", (_request, reply) => {
  reset();
  return reply.code(204).send();
});
await app.listen({ port, host: "127.0.0.1" });
announce(app.server);
