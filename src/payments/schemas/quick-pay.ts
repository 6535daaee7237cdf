import { type Static, Type } from "typebox";
import { Address, Amount, ChainId, Description, Name, Nullable } from "./common.ts";

/** The longest that a link made without ceremony stays open, seconds; also how long it does by default. */
export const QUICK_PAY_SECONDS = 86_400;

export const QuickPay = Type.Object(
  {
    recipient_address: Address,
    amount: Type.Optional(Nullable(Amount)),
    token_address: Type.Optional(Address),
    chain_id: Type.Optional(ChainId),
    name: Type.Optional(Name),
    description: Type.Optional(Nullable(Description)),
    expires_in: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: QUICK_PAY_SECONDS,
        description: `Seconds until it expires; ${QUICK_PAY_SECONDS} if absent.`,
      }),
    ),
  },
  { title: "QuickPay" },
);
export type QuickPay = Static<typeof QuickPay>;
