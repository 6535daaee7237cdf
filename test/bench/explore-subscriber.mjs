// A shop with its state in memory and the routes /webhooks, /state and /reset.
import { createServer } from "node:http";

let orders = {};
let seen = new Set();
let requests = 0;

function handle({ event, data }) {
  const key = `${event} ${data.id}`;
  if (seen.has(key)) return;
  seen.add(key);
  const order = data.client_reference_id ?? data.checkoutSession.clientReferenceId;
  orders[order] ??= { status: "open", payments: 0 };
  if (event !== "payment.completed") return;
  orders[order].status = "paid";
  orders[order].payments += 1;
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on("data", (chunk) => chunks.push(chunk));
  request.on("end", () => {
    if (request.url === "/count") return void response.end(String(requests));
    requests += 1;
    if (request.url === "/state") return void response.end(JSON.stringify(orders));
    if (request.url === "/reset") {
      orders = {};
      seen = new Set();
    } else if (request.headers["x-platform-test"] !== "true") handle(JSON.parse(Buffer.concat(chunks)));
    response.writeHead(200).end();
  });
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}`));
