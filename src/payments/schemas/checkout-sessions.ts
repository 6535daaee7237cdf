import { type Static, Type } from "typebox";
import { Instant, listQuery, nullable, oneOf, shape, text } from "../../http/shapes.ts";
import { SESSION_STATUSES } from "../words.ts";
import {
  Address,
  Amount,
  ChainId,
  Email,
  HttpUrl,
  listOf,
  Metadata,
  OpenAmount,
  ResourceId,
} from "./common.ts";

const ClientReference = Type.String({
  maxLength: 200,
  description: "Your own reference, returned in every event.",
  examples: ["order_1042"],
});
const CustomerName = Type.String({ maxLength: 200, examples: ["Ada Lovelace"] });

const payer = {
  client_reference_id: Type.Optional(nullable(ClientReference)),
  metadata: Type.Optional(Metadata),
  customer_email: Type.Optional(nullable(Email)),
  customer_name: Type.Optional(nullable(CustomerName)),
};

export const CheckoutSessionCreate = shape("CheckoutSessionCreate", {
  payment_link_id: Type.Optional(
    Type.String({
      maxLength: 64,
      description:
        "The link to open a session for. Without it, send amount and, optionally, token, chain and recipient.",
    }),
  ),
  amount: Type.Optional(Amount),
  token_address: Type.Optional(Address),
  chain_id: Type.Optional(ChainId),
  recipient_address: Type.Optional(Address),
  ...payer,
  success_url: Type.Optional(nullable(HttpUrl)),
  cancel_url: Type.Optional(nullable(HttpUrl)),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 300,
      maximum: 86_400,
      description: "Virtual seconds until the session expires, 300 to 86400. Default: 1800.",
    }),
  ),
});
export type CheckoutSessionCreate = Static<typeof CheckoutSessionCreate>;

export const SessionStatus = oneOf(SESSION_STATUSES);

export const CheckoutSessionUpdate = shape("CheckoutSessionUpdate", {
  ...payer,
  status: Type.Optional(SessionStatus),
});
export type CheckoutSessionUpdate = Static<typeof CheckoutSessionUpdate>;

export const CheckoutSession = shape("CheckoutSession", {
  object: Type.Literal("checkout_session"),
  id: Type.String({ examples: ["cs_4fTzK0aQ9xLm2VbE"] }),
  payment_link_id: nullable(Type.String()),
  status: SessionStatus,
  amount: nullable(OpenAmount),
  token_address: Address,
  chain_id: ChainId,
  recipient_address: Address,
  client_reference_id: nullable(Type.String()),
  metadata: Metadata,
  customer_email: nullable(Type.String()),
  customer_name: nullable(Type.String()),
  discount_code: nullable(Type.String()),
  transaction_id: nullable(text("The payment that completed the session.")),
  success_url: nullable(Type.String()),
  cancel_url: nullable(Type.String()),
  url: nullable(text("The hosted checkout page; null once the session is no longer active.")),
  expires_at: Instant,
  completed_at: nullable(Instant),
  expired_at: nullable(Instant),
  created_at: Instant,
  updated_at: Instant,
});

export const CheckoutSessionList = listOf(CheckoutSession);

const statusFilter = { status: Type.Optional(SessionStatus) };
const SORTS = ["created_at", "updated_at", "expires_at"] as const;

export const LinkSessionListQuery = listQuery(SORTS, statusFilter);
export const CheckoutSessionListQuery = listQuery(SORTS, {
  ...statusFilter,
  payment_link_id: Type.Optional(ResourceId),
});
