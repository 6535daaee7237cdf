import { Type } from "typebox";
import { Instant, listQuery, nullable, shape } from "../../http/shapes.ts";
import { Address, ChainId, Email, exportFields, Metadata, Search } from "./common.ts";

/** A dollar amount such as `"13.50"`. */
export const Dollars = Type.String({
  pattern: "^\\d+\\.\\d{2}$",
  description: "Dollars, at the sandbox's fixed prices; a token without a price counts as 0.",
  examples: ["13.50"],
});

/** The total of payments in one token. */
export const TokenSum = shape("TokenSum", {
  chain_id: ChainId,
  token_address: Address,
  symbol: Type.String(),
  amount: Type.String({ pattern: "^\\d+$", description: "In the token's smallest unit." }),
  amount_usd: Dollars,
  transactions: Type.Integer(),
});

export const CustomerUpdate = shape("CustomerUpdate", {
  name: Type.Optional(nullable(Type.String({ maxLength: 200, examples: ["Ada Lovelace"] }))),
  email: Type.Optional(nullable(Email)),
  metadata: Type.Optional(Metadata),
});

export const Customer = shape("Customer", {
  object: Type.Literal("customer"),
  id: Type.String({ examples: ["cus_4fTzK0aQ9xLm2VbE"] }),
  wallet_address: Address,
  name: nullable(Type.String()),
  email: nullable(Type.String()),
  metadata: Metadata,
  total_paid: nullable(
    Type.String({
      pattern: "^\\d+$",
      description:
        "Sum of completed payments in the token's smallest unit; null if payments used several tokens.",
      examples: ["2500000"],
    }),
  ),
  total_paid_usd: Dollars,
  paid_by_token: Type.Array(TokenSum),
  transaction_count: Type.Integer({ description: "The number of payments, regardless of their outcome." }),
  first_payment_at: nullable(Instant),
  last_payment_at: nullable(Instant),
  created_at: Instant,
  updated_at: Instant,
});
export const CUSTOMERS = {
  item: Customer,
  query: listQuery(["created_at", "updated_at", "last_payment_at", "total_paid", "transaction_count"], {
    search: Type.Optional(Search),
  }),
  create: shape("CustomerCreate", { wallet_address: Address, ...CustomerUpdate.properties }),
  update: CustomerUpdate,
};

export const CustomerExportQuery = Type.Object(exportFields);
