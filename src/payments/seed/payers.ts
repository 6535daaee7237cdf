import { countedCents, foldCustomer, newCustomer } from "../customers.ts";
import type { CustomerRow, SessionRow, TransactionRow } from "../rows.ts";
import { worth } from "../worth.ts";
import type { Seeding } from "./seeding.ts";

/**
 * Writes the customers that these payments make, as the platform would have: one for each wallet. Notes in each payment
 * whose it is. Draws from a stream of its own, so that nothing else of the seed depends on it.
 * @param transactions oldest first
 */
export function savePayers(
  { world, save }: Seeding,
  sessions: readonly SessionRow[],
  transactions: readonly TransactionRow[],
): void {
  const names = new Map(sessions.map((row) => [row.id, row.customer_name]));
  const customers = new Map<string, CustomerRow>();
  for (const row of transactions) {
    const wallet = row.sender_address;
    let customer = customers.get(wallet);
    if (!customer) {
      customer = newCustomer(world.ids.next("cus_"), row.org, wallet, row.created_at);
      customers.set(wallet, customer);
    }
    row.customer_id = customer.id;
    customer.transaction_count += 1;
    customer.name ??= names.get(row.session_id!) ?? null;
    customer.email ??= (JSON.parse(row.form_data) as { email: string }).email;
    customer.updated_at = row.completed_at ?? row.created_at;
    if (row.completed_at === null) continue;
    customer.paid_cents += countedCents(worth(row.amount, row.chain_id, row.token_address));
    customer.first_payment_at ??= row.completed_at;
    customer.last_payment_at = Math.max(customer.last_payment_at ?? 0, row.completed_at);
  }
  for (const { folded: _, ...customer } of customers.values())
    save("customers", {
      ...customer,
      folded: foldCustomer(customer.wallet_address, customer.name, customer.email),
    } satisfies CustomerRow);
}
