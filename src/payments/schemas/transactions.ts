import { Type } from "typebox";
import { FAILURE_REASONS } from "../rows.ts";
import { Address, Amount, ChainId, Instant, listOf, listQuery, Nullable, ResourceId } from "./common.ts";
import { exportFields } from "./exports.ts";

export const Transaction = Type.Object(
  {
    object: Type.Literal("transaction"),
    id: Type.String({ examples: ["txn_4fTzK0aQ9xLm2VbE"] }),
    session_id: Nullable(Type.String()),
    payment_link_id: Nullable(Type.String()),
    status: Type.Unsafe<string>({ type: "string", enum: ["pending", "confirming", "completed", "failed"] }),
    amount: Amount,
    token_address: Address,
    chain_id: ChainId,
    sender_address: Address,
    recipient_address: Address,
    tx_hash: Type.String(),
    form_data: Type.Record(Type.String(), Type.Unknown(), {
      description: "What the payer entered: email, shipping_address.",
    }),
    discount_code: Nullable(Type.String()),
    failure_reason: Nullable(Type.Unsafe<string>({ type: "string", enum: [...FAILURE_REASONS] })),
    customer_id: Nullable(Type.String({ description: "The payer; null once that customer was deleted." })),
    completed_at: Nullable(Instant),
    failed_at: Nullable(Instant),
    created_at: Instant,
    updated_at: Instant,
  },
  { title: "Transaction" },
);

export const TransactionList = listOf(Transaction, "TransactionList");

export const TransactionListQuery = listQuery(["created_at", "updated_at", "completed_at"], {
  status: Type.Optional(
    Type.String({
      maxLength: 64,
      description: "pending, confirming, completed or failed; another matches nothing.",
    }),
  ),
  chain_id: Type.Optional(ChainId),
  payment_link_id: Type.Optional(ResourceId),
  session_id: Type.Optional(ResourceId),
  customer_id: Type.Optional(ResourceId),
});

export const CustomerTransactionListQuery = listQuery(["created_at", "updated_at", "completed_at"], {});

export const TransactionExportQuery = Type.Object(
  { ...exportFields, status: Type.Optional(Type.String({ maxLength: 64 })) },
  { additionalProperties: false },
);
