// Receives webhooks with Fastify 5. Start: SANDGLASS_WEBHOOK_SECRET=whsec_… node fastify.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import Fastify from "fastify";

const secret = process.env.SANDGLASS_WEBHOOK_SECRET;
if (!secret) throw new Error("Set SANDGLASS_WEBHOOK_SECRET.");

// In your application: a table with a unique index, written in the transaction that handles the event.
const handled = new Set();
const paid = new Set();

/** The body must be the raw bytes. */
function isSigned(body, signature) {
  if (!/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}

function readEvent(body) {
  try {
    const event = JSON.parse(body.toString());
    return typeof event?.data?.id === "string" ? event : undefined;
  } catch {
    return undefined;
  }
}

/** A retry has a new delivery id, but the same type and data.id. */
function handleOnce({ event, data }) {
  const key = `${event} ${data.id}`;
  if (handled.has(key)) return;
  handled.add(key);
  if (event === "payment.completed") paid.add(data.id);
}

const app = Fastify({ bodyLimit: 2 * 1024 * 1024 });

// A separate scope, so other routes still get parsed JSON.
app.register(async (scope) => {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));

  scope.post("/webhooks", async (request, reply) => {
    const body = request.body ?? "";
    if (!isSigned(body, request.headers["x-platform-signature"])) return reply.code(401).send();
    const event = readEvent(body);
    if (!event) return reply.code(400).send();
    if (request.headers["x-platform-test"] !== "true") handleOnce(event);
    return reply.code(204).send();
  });
});

// For `sandglass check --state`: not for production.
app.get("/state", async () => ({ paid: paid.size }));

await app.listen({ port: Number(process.env.PORT ?? 3000), host: "127.0.0.1" });
console.log(`Webhooks at http://127.0.0.1:${app.server.address().port}/webhooks`);
