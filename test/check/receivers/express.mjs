// Receives webhooks with Express 5. Start: SANDGLASS_WEBHOOK_SECRET=whsec_… node express.mjs
import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";

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

const app = express();

app.post("/webhooks", express.raw({ type: () => true, limit: "2mb" }), (request, response) => {
  const body = request.body ?? "";
  if (!isSigned(body, request.get("X-Platform-Signature"))) return response.sendStatus(401);
  const event = readEvent(body);
  if (!event) return response.sendStatus(400);
  if (request.get("X-Platform-Test") !== "true") handleOnce(event);
  return response.sendStatus(204);
});

// For `sandglass check --state`: not for production.
app.get("/state", (_request, response) => response.json({ paid: paid.size }));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`Webhooks at http://127.0.0.1:${server.address().port}/webhooks`);
});
