// A shop that is correct whatever the schedule. Its servers are in the same folder; all of them serve /webhooks, /state
// and /reset.
import { createHmac, timingSafeEqual } from "node:crypto";

const secret = process.env.SANDGLASS_WEBHOOK_SECRET;

let orders = {};
let handled = new Set();

function isSigned(body, signature) {
  if (!/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  const expected = createHmac("sha256", secret).update(body).digest();
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}

/** Handles an event only once. A paid order stays paid, whichever of its events comes first. */
function handle({ event, data }) {
  const key = `${event} ${data.id}`;
  if (handled.has(key)) return;
  handled.add(key);
  const name = data.client_reference_id ?? data.checkoutSession.clientReferenceId;
  orders[name] ??= { status: "open", paid: 0, checkouts: 0 };
  const order = orders[name];
  if (event === "payment.completed") {
    order.status = "paid";
    order.paid += Number(data.amount);
  } else if (event === "checkout.completed") order.checkouts += 1;
  else if (event === "checkout.expired" && order.status === "open") order.status = "cancelled";
}

/** @returns the status of the response */
export function take(body, headers) {
  if (!isSigned(body, headers["x-platform-signature"])) return 401;
  if (headers["x-platform-test"] !== "true") handle(JSON.parse(body.toString()));
  return 204;
}

export const state = () => orders;

export function reset() {
  orders = {};
  handled = new Set();
}

export const port = Number(process.env.PORT ?? 3000);
export const announce = (server) =>
  console.log(`Webhooks at http://127.0.0.1:${server.address().port}/webhooks`);
