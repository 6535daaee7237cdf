// Receives webhooks with nothing but Node.js. Start: SANDGLASS_WEBHOOK_SECRET=whsec_… node node-http.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

const secret = process.env.SANDGLASS_WEBHOOK_SECRET;
if (!secret) throw new Error("Set SANDGLASS_WEBHOOK_SECRET.");
const MAX_BODY_BYTES = 2 * 1024 * 1024;

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

async function readBody(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size <= MAX_BODY_BYTES) chunks.push(chunk);
  }
  return size <= MAX_BODY_BYTES ? Buffer.concat(chunks) : undefined;
}

async function takeWebhook(request) {
  if (request.method !== "POST") return 405;
  const body = await readBody(request);
  if (!body) return 413;
  if (!isSigned(body, request.headers["x-platform-signature"])) return 401;
  const event = readEvent(body);
  if (!event) return 400;
  if (request.headers["x-platform-test"] !== "true") handleOnce(event);
  return 204;
}

const server = createServer(async (request, response) => {
  if (request.url === "/webhooks") {
    const status = await takeWebhook(request).catch(() => 500);
    response.writeHead(status).end();
  } else if (request.url === "/state") {
    // For `sandglass check --state`: not for production.
    response.end(JSON.stringify({ paid: paid.size }));
  } else {
    response.writeHead(404).end();
  }
});

server.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`Webhooks at http://127.0.0.1:${server.address().port}/webhooks`);
});
