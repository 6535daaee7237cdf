// A shop that records the payments of Stripe's webhooks in MySQL: it checks whether a payment exists, and then inserts
// it.
import { createHmac } from "node:crypto";
import { createRequire } from "node:module";

const { createServer } = process.getBuiltinModule("node:http");
const { createPool } = createRequire(process.argv[2])("mysql2/promise");
const pool = createPool({ uri: process.env.DATABASE_URL });

const accepts = (body, header = "") => {
  const [, time] = /t=(\d+)/.exec(header) ?? [];
  const expected = createHmac("sha256", "whsec_test").update(`${time}.${body}`).digest("hex");
  return header.includes(`v1=${expected}`);
};

createServer(async (request, response) => {
  let body = "";
  for await (const chunk of request) body += chunk;
  if (!accepts(body, request.headers["stripe-signature"])) return response.writeHead(400).end();
  try {
    const { id, type, data } = JSON.parse(body);
    if (type === "invoice.paid") {
      const [seen] = await pool.execute("select 1 from payments where event_id = ?", [id]);
      if (seen.length === 0)
        await pool.execute("insert into payments (event_id, amount) values (?, ?)", [
          id,
          data.object.amount_paid,
        ]);
    }
    response.end();
  } catch (error) {
    console.error(error);
    response.writeHead(500).end();
  }
}).listen(Number(process.env.PORT), "127.0.0.1");
