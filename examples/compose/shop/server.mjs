import { createHmac, timingSafeEqual } from "node:crypto";
import { createServer } from "node:http";

/** A subscriber that registers its endpoint on the platform, then verifies and prints each delivery. */

const { PLATFORM_URL, PLATFORM_API_KEY, SHOP_URL, WEBHOOK_SECRET, PORT = "3000" } = process.env;

/** Whether a delivery was signed with the shared secret. */
function isGenuine(body, signature = "") {
  const expected = Buffer.from(createHmac("sha256", WEBHOOK_SECRET).update(body).digest("hex"));
  const actual = Buffer.from(signature);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const body = Buffer.concat(chunks);
  if (!isGenuine(body, request.headers["x-platform-signature"])) {
    console.log("refused a request without a valid signature");
    return response.writeHead(401).end();
  }
  const { event, data } = JSON.parse(body);
  console.log(event, data.id);
  response.end();
});

await new Promise((resolve) => server.listen(Number(PORT), "0.0.0.0", resolve));
const registered = await fetch(`${PLATFORM_URL}/api/v1/webhooks`, {
  method: "POST",
  headers: { authorization: `Bearer ${PLATFORM_API_KEY}`, "content-type": "application/json" },
  body: JSON.stringify({ url: `${SHOP_URL}/webhooks`, description: "The shop" }),
});
if (!registered.ok) throw new Error(`The platform answered ${registered.status}: ${await registered.text()}`);
console.log("registered", `${SHOP_URL}/webhooks`);
for (const signal of ["SIGTERM", "SIGINT"]) process.once(signal, () => process.exit());
