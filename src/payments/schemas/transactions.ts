import { Type } from "typebox";
import { type Input, Instant, listQuery, nullable, oneOf, shape, text } from "../../http/shapes.ts";
import { either } from "../../timeline/text.ts";
import { FAILURE_REASONS, SETTLED_STATUSES, TRANSACTION_STATUSES } from "../words.ts";
import {
  Address,
  Amount,
  ChainId,
  Email,
  exportFields,
  listOf,
  Metadata,
  ResourceId,
  range,
} from "./common.ts";

const address = { line1: Type.String(), city: Type.String(), state: Type.String(), zip: Type.String() };
const open = { additionalProperties: true };

/** The payer's checkout form, which may have additional fields. */
const FormData = Type.Unsafe<Record<string, unknown>>(
  shape(
    "FormData",
    { email: Type.String(), shipping_address: Type.Object(address, open) },
    { description: "What the payer entered.", ...open },
  ),
);
/** Any subset of the payer's form, for a trigger. */
export const EnteredForm = Type.Unsafe<Record<string, unknown>>(
  shape(
    "EnteredForm",
    {
      email: Type.Optional(Type.String()),
      shipping_address: Type.Optional(Type.Partial(Type.Object(address, open))),
    },
    { description: "What the payer enters. Missing fields come from a made-up payer.", ...open },
  ),
);

export const PaymentInput = Type.Partial(
  Type.Object({
    outcome: oneOf(SETTLED_STATUSES),
    failure_reason: oneOf(FAILURE_REASONS, {
      description: `Makes the payment fail: ${FAILURE_REASONS.join(", ")}.`,
    }),
    sender_address: { ...Address, description: "The payer's wallet." },
    amount: {
      ...Amount,
      description: "The amount in the token's smallest unit, if the link leaves it open.",
    },
    form_data: EnteredForm,
    discount_code: Type.String({ minLength: 1, maxLength: 64, description: "A discount code to apply." }),
    client_reference_id: Type.String({
      maxLength: 200,
      description: "Your own reference, returned in every event.",
    }),
    metadata: Metadata,
    customer_email: { ...Email, description: "The payer's e-mail address." },
    customer_name: Type.String({ maxLength: 200 }),
  }),
);
export type PaymentInput = Input<typeof PaymentInput>;

export const Transaction = shape("Transaction", {
  object: Type.Literal("transaction"),
  id: Type.String({ examples: ["txn_4fTzK0aQ9xLm2VbE"] }),
  session_id: nullable(Type.String()),
  payment_link_id: nullable(Type.String()),
  status: oneOf(TRANSACTION_STATUSES),
  amount: Amount,
  token_address: Address,
  chain_id: ChainId,
  sender_address: Address,
  recipient_address: Address,
  tx_hash: Type.String(),
  form_data: FormData,
  discount_code: nullable(Type.String()),
  failure_reason: nullable(oneOf(FAILURE_REASONS)),
  customer_id: nullable(text("The payer; null if that customer has been deleted.")),
  completed_at: nullable(Instant),
  failed_at: nullable(Instant),
  created_at: Instant,
  updated_at: Instant,
});

export const TransactionList = listOf(Transaction);

export const TransactionListQuery = listQuery(["created_at", "updated_at", "completed_at"], {
  status: Type.Optional(
    Type.String({
      maxLength: 64,
      description: `${either(TRANSACTION_STATUSES)}; any other value matches nothing.`,
    }),
  ),
  chain_id: Type.Optional(ChainId),
  payment_link_id: Type.Optional(ResourceId),
  session_id: Type.Optional(ResourceId),
  customer_id: Type.Optional(ResourceId),
  ...range,
});

export const CustomerTransactionListQuery = listQuery(["created_at", "updated_at", "completed_at"], {});

export const TransactionExportQuery = Type.Object({
  ...exportFields,
  status: Type.Optional(Type.String({ maxLength: 64 })),
});
