import express from "express";
import pg from "pg";
import Stripe from "stripe";

const { DATABASE_URL, PORT = 3000, STRIPE_SECRET_KEY = "sk_test", STRIPE_WEBHOOK_SECRET } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL });
const stripe = new Stripe(STRIPE_SECRET_KEY);
const app = express();

app.post("/webhooks/stripe", express.raw({ type: "application/json" }), async (request, response) => {
  const event = verify(request);
  if (!event) return response.sendStatus(400);
  const client = await pool.connect();
  try {
    await client.query("begin");
    const query = "insert into events values ($1) on conflict do nothing";
    const { rowCount } = await client.query(query, [event.id]);
    if (rowCount === 1) await handle(client, event);
    await client.query("commit");
    response.sendStatus(204);
  } catch (error) {
    await client.query("rollback");
    console.error(error);
    response.sendStatus(500);
  } finally {
    client.release();
  }
});

function verify(request) {
  try {
    return stripe.webhooks.constructEvent(
      request.body,
      request.get("stripe-signature"),
      STRIPE_WEBHOOK_SECRET,
    );
  } catch {
    return null;
  }
}

/** Each event is handled once. What if they come in another order? */
async function handle(client, { type, data: { object } }) {
  if (type.startsWith("customer.subscription."))
    await client.query(
      "insert into subscriptions values ($1, $2, $3) on conflict (id) do update set status = $3",
      [object.id, object.customer, object.status],
    );
  // A refund can come before its payment: whichever is first makes the row.
  if (type === "payment_intent.succeeded")
    await client.query("insert into payments values ($1, $2) on conflict do nothing", [
      object.id,
      object.amount_received,
    ]);
  if (type === "charge.refunded")
    await client.query(
      "insert into payments values ($1, $2, $3) on conflict (id) do update set refunded = $3",
      [object.payment_intent, object.amount, object.amount_refunded],
    );
}

app.listen(PORT, () => console.log(`http://127.0.0.1:${PORT}`));
