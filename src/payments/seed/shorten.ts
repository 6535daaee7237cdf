import type { World } from "../../world/world.ts";
import { countedCents } from "../customers.ts";
import { type Paid, worth } from "../worth.ts";

/** What happened on the platform before an instant. Catalog, keys and endpoints stay, and so do active sessions. */
const PAST = [
  "checkout_sessions where status <> 'active' and created_at < ?",
  "webhook_events where created_at < ?",
  "audit_events where created_at < ?",
  "mail where created_at < ?",
  "widget_views where day < strftime('%Y-%m-%d', ? / 1000, 'unixepoch')",
];

/** What belonged to that, and what counts it. */
const FOLLOWING = [
  "delete from transactions where session_id not in (select id from checkout_sessions)",
  "delete from webhook_plans where event_id not in (select id from webhook_events)",
  "delete from webhook_deliveries where event_id not in (select id from webhook_events)",
  "delete from customers where id not in (select customer_id from transactions where customer_id is not null)",
  `update payment_links set current_uses = (select count(*) from checkout_sessions
     where payment_link_id = payment_links.id and status = 'completed')`,
  `update discount_codes set current_uses = (select count(*) from transactions
     where org = discount_codes.org and discount_code = discount_codes.code and status = 'completed')`,
  `update customers set
     transaction_count = (select count(*) from transactions where customer_id = customers.id),
     first_payment_at = (select min(completed_at) from transactions where customer_id = customers.id),
     last_payment_at = (select max(completed_at) from transactions where customer_id = customers.id)`,
];

/** Removes what is older than an instant from the invented past. */
export function shortenPayments({ store }: World, before: number): void {
  store.transaction(() => {
    for (const past of PAST) store.sql(`delete from ${past}`).run(before);
    for (const statement of FOLLOWING) store.sql(statement).run();
    const setPaid = store.sql("update customers set paid_cents = ? where id = ?");
    const completed = store.sql<Paid>(
      "select chain_id, token_address, amount from transactions where customer_id = ? and status = 'completed'",
    );
    for (const { id } of store.sql<{ id: string }>("select id from customers").all()) {
      const cents = completed
        .all(id)
        .map(({ amount, chain_id, token_address }) => countedCents(worth(amount, chain_id, token_address)));
      setPaid.run(
        cents.reduce((sum, one) => sum + one, 0),
        id,
      );
    }
  });
}
