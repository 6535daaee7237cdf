import express from "express";
import { Pool } from "pg";
import Stripe from "stripe";

/** A correct shop as people typically write it: it handles each event once, in a transaction. */
const { DATABASE_URL, STRIPE_WEBHOOK_SECRET = "", PORT } = process.env;
const stripe = new Stripe("sk_test_bench");
const pool = new Pool({ connectionString: DATABASE_URL });
pool.on("error", () => undefined);
const app = express();

app.post("/webhook", express.raw({ type: "*/*" }), async (request, response) => {
  const event = stripe.webhooks.constructEvent(
    request.body,
    request.headers["stripe-signature"] ?? "",
    STRIPE_WEBHOOK_SECRET,
  );
  const client = await pool.connect();
  // When the connection is lost, both the statement and the client report an error.
  client.on("error", () => undefined);
  try {
    await client.query("begin");
    const { rowCount } = await client.query("insert into events values ($1) on conflict do nothing", [
      event.id,
    ]);
    if (rowCount === 1) {
      await client.query("update shops set events = events + 1 where id = 1");
      await client.query("insert into mails (type) values ($1)", [event.type]);
    }
    await client.query("commit");
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    throw error;
  } finally {
    client.release();
  }
  response.json({ received: true });
});

app.listen(Number(PORT), "127.0.0.1");
