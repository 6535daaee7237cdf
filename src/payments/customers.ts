import type { Static } from "typebox";
import type { Caller } from "../http/caller.ts";
import { type Condition, walkRows } from "../http/listing.ts";
import { inserter } from "../world/save.ts";
import type { World } from "../world/world.ts";
import type { PaymentsContext } from "./context.ts";
import { duplicate } from "./errors.ts";
import { presenter } from "./present.ts";
import { createRecords, type Resource } from "./records.ts";
import type { CustomerRow, TransactionRow } from "./rows.ts";
import { CUSTOMERS, type Customer } from "./schemas/customers.ts";
import { dollars, type Paid, takingsOf, worth } from "./worth.ts";

export interface PayerDetails {
  name?: string | null | undefined;
  email?: string | null | undefined;
}

/**
 * An organization's payers. Every wallet that has paid or tried to pay is a customer. Deleting a customer keeps its
 * payments, and the wallet's next payment creates a new one. `search` matches a literal substring of the name, e-mail
 * address or wallet, ignoring case. Creating a customer throws PlatformError duplicate_resource if the wallet already
 * has one.
 */
export interface Customers extends Resource<typeof CUSTOMERS> {
  /** @throws PlatformError resource_not_found */
  find(org: string, id: string): CustomerRow;
  /**
   * Records a payer, creating the customer on the wallet's first payment. Name and e-mail address are set once and
   * never overwritten.
   * @returns the customer's id
   */
  notePayer(org: string, wallet: string, details: PayerDetails): string;
  /** All matching customers, newest first, in chunks. */
  export(org: string, created: readonly Condition[]): Iterable<Static<typeof Customer>[]>;
}

/** A customer who has not paid yet. @param at when the customer was created, in virtual milliseconds */
export function newCustomer(id: string, org: string, wallet: string, at: number): CustomerRow {
  return {
    id,
    org,
    wallet_address: wallet,
    name: null,
    email: null,
    metadata: "{}",
    folded: "",
    transaction_count: 0,
    paid_cents: 0,
    first_payment_at: null,
    last_payment_at: null,
    created_at: at,
    updated_at: at,
  };
}

/** Adds each completed payment to its customer's totals. */
function countPayments({ store, clock, journal }: World): void {
  const payment = store.sql<TransactionRow>("select * from transactions where id = ?");
  const add = store.sql(
    `update customers set paid_cents = paid_cents + ?, first_payment_at = coalesce(first_payment_at, ?), last_payment_at = ?,
       updated_at = ? where id = ?`,
  );
  journal.follow("payment.completed", (data) => {
    const { customer_id: id, amount, chain_id: chain, token_address: token } = payment.get(String(data.id))!;
    if (id === null) return;
    const now = clock.now();
    add.run(countedCents(worth(amount, chain, token)), now, now, now, id);
  });
}

export function createCustomers({ world }: PaymentsContext): Customers {
  const { store, ids, clock, journal } = world;
  const byWallet = store.sql<CustomerRow>("select * from customers where org = ? and wallet_address = ?");
  const insert = inserter<CustomerRow>(store, "customers");
  const comeBack = store.sql(
    `update customers set transaction_count = transaction_count + 1, name = coalesce(name, ?), email = coalesce(email, ?),
       updated_at = ? where id = ?`,
  );
  countPayments(world);
  const refold = store.sql("update customers set folded = ? where id = ?");
  const release = store.sql("update transactions set customer_id = null where customer_id = ?");
  const completedOf = store.sql<Paid>(
    "select chain_id, token_address, amount from transactions where customer_id = ? and status = 'completed' order by created_at, id",
  );

  function fold({ id, wallet_address: wallet }: CustomerRow, { name, email }: PayerDetails): void {
    refold.run(foldCustomer(wallet, name ?? null, email ?? null), id);
  }

  function add(org: string, wallet: string, fields: Partial<CustomerRow>): string {
    const row = { ...newCustomer(ids.next("cus_"), org, wallet, clock.now()), ...fields };
    insert({ ...row, folded: foldCustomer(wallet, row.name, row.email) });
    return row.id;
  }

  const resource = presenter(CUSTOMERS.item, (row: CustomerRow) => {
    const paid = takingsOf(completedOf.all(row.id));
    return {
      total_paid: paid.single(),
      total_paid_usd: dollars(paid.cents),
      paid_by_token: paid.byToken(),
    };
  });

  const trail = {
    record: ({ org }: Caller, type: `customer.${string}`, id: string) =>
      void journal.append(type, { id, organization: org }),
  };
  const records = createRecords(world, trail, {
    kind: "customer",
    prefix: "cus_",
    schemas: CUSTOMERS,
    show: resource,
    search: (text) => ["instr(folded, ?) > 0", text.toLowerCase()],
  });

  return {
    ...records,

    notePayer(org, wallet, { name = null, email = null }) {
      const now = clock.now();
      const row = byWallet.get(org, wallet);
      if (row) {
        comeBack.run(name, email, now, row.id);
        if (row.name === null || row.email === null)
          fold(row, { name: row.name ?? name, email: row.email ?? email });
        return row.id;
      }
      return add(org, wallet, { name, email, transaction_count: 1 });
    },

    create(caller, { wallet_address: address, name = null, email = null, metadata = {} }) {
      return store.transaction(() => {
        const wallet = address.toLowerCase();
        const other = byWallet.get(caller.org, wallet);
        if (other)
          throw duplicate("wallet_address", `The wallet ${wallet} belongs to the customer ${other.id}.`);
        const id = add(caller.org, wallet, { name, email, metadata: JSON.stringify(metadata) });
        trail.record(caller, "customer.created", id);
        return records.get(caller.org, id);
      });
    },

    update: (caller, id, input) =>
      records.update(caller, id, input, (row) => void fold(row, { ...row, ...input })),

    delete: (caller, id) => records.delete(caller, id, () => release.run(id)),

    list: (org, query) =>
      records.list(org, query.sort === "total_paid" ? { ...query, sort: "paid_cents" } : query),

    *export(org, created) {
      for (const rows of walkRows<CustomerRow>(store, "customers", [["org = ?", org], ...created]))
        yield rows.map(resource);
    },
  };
}

/** The searchable text of a customer. */
export function foldCustomer(wallet: string, name: string | null, email: string | null): string {
  return [name ?? "", email ?? "", wallet].join("\n").toLowerCase();
}

/** Caps an amount in cents, so an absurdly large one cannot overflow its column. */
export function countedCents(value: bigint): number {
  return Number(value > MOST_CENTS ? MOST_CENTS : value);
}

/** A trillion dollars. Even a million such payments fit into the column. */
const MOST_CENTS = 10n ** 14n;
