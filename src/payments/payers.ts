import payers from "../../fixtures/payments/payers.json" with { type: "json" };
import type { World } from "../world/world.ts";

/** The stream that decides who pays next. */
const STREAM = "payer";

/** Fills in the forms of payments. */
export function createPayers({ random }: World) {
  /**
   * The whole form of a payment: a made-up payer's, with what is known over it.
   * @param email of the checkout, where it has one
   * @param entered what the trigger of the payment gives
   */
  return (email: string | null, entered: Record<string, unknown> = {}) => {
    // One draw for each payment, so that what one gives does not decide who the next payer is.
    const payer = payers[random.draw(STREAM)() % payers.length]!;
    return {
      email: email ?? payer.email,
      ...entered,
      shipping_address: { ...payer.shipping_address, ...(entered.shipping_address as object | undefined) },
    };
  };
}
