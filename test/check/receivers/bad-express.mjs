// What typical use of express.json() does to webhooks: the original bytes are lost, and the limit is 100 kB. `check`
// must detect this.
import { createHmac, timingSafeEqual } from "node:crypto";
import express from "express";

const secret = process.env.SANDGLASS_WEBHOOK_SECRET;
const handled = new Set();

function isSigned(body, signature) {
  if (!/^[0-9a-f]{64}$/.test(signature ?? "")) return false;
  const expected = createHmac("sha256", secret).update(JSON.stringify(body)).digest();
  return timingSafeEqual(Buffer.from(signature, "hex"), expected);
}

const app = express();
app.use(express.json());

app.post("/webhooks", (request, response) => {
  if (!isSigned(request.body ?? {}, request.get("X-Platform-Signature"))) return response.sendStatus(401);
  handled.add(request.body.data.id);
  return response.sendStatus(204);
});

// Responds to errors as Express does, but prints nothing to the console.
app.use((error, _request, response, _next) => response.sendStatus(error.status ?? 500));

const server = app.listen(Number(process.env.PORT ?? 3000), "127.0.0.1", () => {
  console.log(`Webhooks at http://127.0.0.1:${server.address().port}/webhooks`);
});
