import { countedCents, foldCustomer, newCustomer } from "../customers.ts";
import type { CustomerRow, SessionRow, TransactionRow } from "../rows.ts";
import { worth } from "../worth.ts";
import { between, chance, type Seeding } from "./seeding.ts";

/** A person who pays. */
export interface Customer {
  name: string;
  email: string;
  wallet: string;
  address: { line1: string; city: string; state: string; zip: string };
}

/** Senders whose payments the sandbox makes fail; see transactions.ts. No seeded customer is one of them. */
const MAGIC = /(?:dead|0bad|beef)$/;

/** Makes people up. Their addresses are at example.com and its kin, which never reach a person. */
export function makeCustomers(seeding: Seeding, count: number): Customer[] {
  const { faker, world } = seeding;
  return Array.from({ length: count }, () => {
    const firstName = faker.person.firstName();
    const lastName = faker.person.lastName();
    let wallet = world.ids.hex("wallet", 20);
    while (MAGIC.test(wallet)) wallet = world.ids.hex("wallet", 20);
    return {
      name: `${firstName} ${lastName}`,
      email: faker.internet.exampleEmail({ firstName, lastName }).toLowerCase(),
      wallet,
      address: {
        line1: faker.location.streetAddress(chance(seeding, 0.2)),
        city: faker.location.city(),
        state: faker.location.state({ abbreviated: true }),
        zip: faker.location.zipCode("#####"),
      },
    };
  });
}

/** The next customer: regulars come often, and new people turn up as the share of history passed grows. */
export function nextCustomer(seeding: Seeding, customers: Customer[], passed: number): Customer {
  const met = Math.max(1, Math.floor(customers.length * (0.15 + 0.85 * passed)));
  const regulars = Math.max(1, Math.floor(met * 0.15));
  return customers[between(seeding, 0, (chance(seeding, 0.35) ? regulars : met) - 1)]!;
}

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
