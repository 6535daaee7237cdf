import { between, chance, type Seeding } from "./seeding.ts";

/** A person who pays. */
export interface Customer {
  name: string;
  email: string;
  wallet: string;
  address: { line1: string; city: string; state: string; zip: string };
}

/** Senders whose payments the sandbox makes fail; see transactions.ts. A seeded customer is none of them. */
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
