import payers from "../../fixtures/payments/payers.json" with { type: "json" };
import type { World } from "../world/world.ts";

/** The stream that chooses the next payer. */
const STREAM = "payer";

/** Fills in the forms of payments. */
export function createPayers({ random }: World) {
  /**
   * The complete form of a payment: the known fields, and a made-up payer's values for the rest.
   * @param email the checkout's, if it has one
   * @param entered the fields of the payment's trigger
   */
  return (email: string | null, entered: Record<string, unknown> = {}) => {
    // One draw for each payment, so that the given fields do not affect the next payer.
    const payer = payers[random.draw(STREAM)() % payers.length]!;
    return {
      email: email ?? payer.email,
      ...entered,
      shipping_address: { ...payer.shipping_address, ...(entered.shipping_address as object | undefined) },
    };
  };
}
