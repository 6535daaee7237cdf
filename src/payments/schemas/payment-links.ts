import { type Static, Type } from "typebox";
import { Instant, listQuery, nullable, shape } from "../../http/shapes.ts";
import {
  Address,
  Amount,
  ChainId,
  Description,
  Expiry,
  HttpUrl,
  Name,
  OpenAmount,
  ResourceId,
  Uses,
} from "./common.ts";

const fields = {
  description: Type.Optional(nullable(Description)),
  amount: Type.Optional(
    nullable({ ...Amount, description: "In the token's smallest unit. Default: the payer decides." }),
  ),
  active: Type.Optional(Type.Boolean()),
  is_active: Type.Optional(Type.Boolean({ description: "Another name for `active`." })),
  max_uses: Type.Optional(nullable(Uses)),
  expires_at: Type.Optional(Expiry),
  product_id: Type.Optional(nullable(ResourceId)),
  return_url: Type.Optional(nullable(HttpUrl)),
  short_code: Type.Optional(
    Type.String({
      pattern: "^[0-9A-Za-z]{6}$",
      description: "6 letters and digits, unique. Default: drawn from the seed.",
      examples: ["Ab3xYz"],
    }),
  ),
  token_address: Type.Optional(Address),
  chain_id: Type.Optional(ChainId),
  recipient_address: Type.Optional(Address),
};

export const PaymentLinkCreate = shape("PaymentLinkCreate", { name: Name, ...fields });

export const PaymentLinkUpdate = shape("PaymentLinkUpdate", { name: Type.Optional(Name), ...fields });
export type PaymentLinkUpdate = Static<typeof PaymentLinkUpdate>;

const { product_id: _, ...ownFields } = fields;
/** The fields for creating a link from a product; the product provides the others. */
export const ProductLinkCreate = shape("ProductLinkCreate", { name: Type.Optional(Name), ...ownFields });
export type ProductLinkCreate = Static<typeof ProductLinkCreate>;

export const PaymentLink = shape("PaymentLink", {
  object: Type.Literal("payment_link"),
  id: Type.String({ examples: ["pl_4fTzK0aQ9xLm2VbE"] }),
  name: Type.String(),
  short_code: Type.String(),
  url: Type.String({ description: "The hosted checkout page." }),
  description: nullable(Type.String()),
  amount: nullable(OpenAmount),
  token_address: Address,
  chain_id: ChainId,
  recipient_address: Address,
  active: Type.Boolean(),
  is_active: Type.Boolean({ description: "Another name for `active`." }),
  current_uses: Type.Integer({ description: "Completed checkouts." }),
  max_uses: nullable(Type.Integer()),
  expires_at: nullable(Instant),
  product_id: nullable(Type.String()),
  return_url: nullable(Type.String()),
  created_at: Instant,
  updated_at: Instant,
});

export const PAYMENT_LINKS = {
  item: PaymentLink,
  query: listQuery(["created_at", "updated_at", "name", "current_uses"], {
    search: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "A part of the name or short code to search for, taken literally.",
      }),
    ),
    active: Type.Optional(Type.Boolean()),
  }),
  create: PaymentLinkCreate,
  update: PaymentLinkUpdate,
};

/** The lifetime of a quick link in seconds: both the maximum and the default. */
export const QUICK_PAY_SECONDS = 86_400;

export const QuickPay = shape("QuickPay", {
  recipient_address: Address,
  amount: Type.Optional(nullable(Amount)),
  token_address: Type.Optional(Address),
  chain_id: Type.Optional(ChainId),
  name: Type.Optional(Name),
  description: Type.Optional(nullable(Description)),
  expires_in: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: QUICK_PAY_SECONDS,
      description: `Seconds until the link expires. Default: ${QUICK_PAY_SECONDS}.`,
    }),
  ),
});
export type QuickPay = Static<typeof QuickPay>;
