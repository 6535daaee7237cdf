import { type Static, Type } from "typebox";
import {
  Address,
  ChainId,
  deletedOf,
  Email,
  Instant,
  listOf,
  listQuery,
  Metadata,
  Nullable,
  Search,
} from "./common.ts";
import { exportFields } from "./exports.ts";

/** Dollars and cents, as text. */
export const Dollars = Type.String({
  pattern: "^\\d+\\.\\d{2}$",
  description: "Dollars, at the sandbox's fixed prices; a token without a price counts as 0.",
  examples: ["13.50"],
});

/** A sum of payments in one token. */
export const TokenSum = Type.Object(
  {
    chain_id: ChainId,
    token_address: Address,
    symbol: Type.String(),
    amount: Type.String({ pattern: "^\\d+$", description: "In the token's smallest unit." }),
    amount_usd: Dollars,
    transactions: Type.Integer(),
  },
  { title: "TokenSum" },
);

export const CustomerUpdate = Type.Object(
  {
    name: Type.Optional(Nullable(Type.String({ maxLength: 200, examples: ["Ada Lovelace"] }))),
    email: Type.Optional(Nullable(Email)),
    metadata: Type.Optional(Metadata),
  },
  { title: "CustomerUpdate" },
);
export type CustomerUpdate = Static<typeof CustomerUpdate>;

export const CustomerCreate = Type.Object(
  { wallet_address: Address, ...CustomerUpdate.properties },
  { title: "CustomerCreate" },
);
export type CustomerCreate = Static<typeof CustomerCreate>;

export const Customer = Type.Object(
  {
    object: Type.Literal("customer"),
    id: Type.String({ examples: ["cus_4fTzK0aQ9xLm2VbE"] }),
    wallet_address: Address,
    name: Nullable(Type.String()),
    email: Nullable(Type.String()),
    metadata: Metadata,
    total_paid: Nullable(
      Type.String({
        pattern: "^\\d+$",
        description:
          "Sum of completed payments in the token's smallest unit; null where several tokens were paid in.",
        examples: ["2500000"],
      }),
    ),
    total_paid_usd: Dollars,
    paid_by_token: Type.Array(TokenSum),
    transaction_count: Type.Integer({ description: "Payments, whatever their outcome." }),
    first_payment_at: Nullable(Instant),
    last_payment_at: Nullable(Instant),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Customer" },
);
export const CustomerList = listOf(Customer, "CustomerList");
export const CustomerDeleted = deletedOf("customer", "CustomerDeleted");
export const CustomerListQuery = listQuery(
  ["created_at", "updated_at", "last_payment_at", "total_paid", "transaction_count"],
  { search: Type.Optional(Search) },
);

export const CustomerExportQuery = Type.Object(exportFields);
