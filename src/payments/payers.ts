import payers from "../../fixtures/payments/payers.json" with { type: "json" };
import type { World } from "../world/world.ts";

/** The random stream from which the next payer is picked. */
const STREAM = "payer";

export function createPayers({ random }: World) {
  /**
   * Completes a payment's form: keeps the entered fields and fills in the rest from a made-up payer.
   * @param email the checkout's e-mail address, if it has one
   * @param entered the fields that the trigger specifies
   */
  return (email: string | null, entered: Record<string, unknown> = {}) => {
    // Always draw exactly once per payment, so the entered fields do not affect who the next payer is.
    const payer = payers[random.draw(STREAM)() % payers.length]!;
    return {
      email: email ?? payer.email,
      ...entered,
      shipping_address: { ...payer.shipping_address, ...(entered.shipping_address as object | undefined) },
    };
  };
}
