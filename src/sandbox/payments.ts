import type { Static } from "typebox";
import { SandboxError } from "../errors/errors.ts";
import { PAYMENT_REQUESTED, type PaymentRequest, REFUSED, RULE_PAYMENT } from "../game/rules/actions.ts";
import type { Mail } from "../operations/records.ts";
import { PlatformError } from "../payments/errors.ts";
import type { Payments } from "../payments/payments.ts";
import type { TransactionRow } from "../payments/rows.ts";
import type { PaymentInput } from "../payments/schemas/transactions.ts";
import type { World } from "../world/world.ts";
import { type CheckoutControls, createCheckoutControls } from "./checkouts.ts";
import { createDeliveryControls, type DeliveryControls } from "./deliveries.ts";
import { createEndpointControls, type EndpointControls } from "./endpoints.ts";

/** The operations on a world's payments platform, beside its API, for objects of every organization. @throws PlatformError */
export interface PaymentControls extends CheckoutControls, EndpointControls, DeliveryControls {
  mail(): Static<typeof Mail>[];
  /** Stores a mail that a program of the user's sent. */
  recordMail(mail: Pick<Static<typeof Mail>, "to" | "subject" | "text">): void;
  inboxes: Payments["inboxes"];
  /** Puts a courier between attempts and their subscribers. @returns takes it out again */
  carriedBy: Payments["carriedBy"];
}

/** @param settleTimeout real milliseconds in which a first attempt of a payment's events has to get its answer */
export const createPaymentControls = (payments: Payments, settleTimeout: number): PaymentControls => ({
  ...createCheckoutControls(payments, settleTimeout),
  ...createEndpointControls(payments),
  ...createDeliveryControls(payments),
  mail: payments.mail.list,
  recordMail: (mail) =>
    payments.world.store.transaction(() => payments.mail.record(payments.organizations.main(), mail)),
  inboxes: payments.inboxes,
  carriedBy: payments.carriedBy,
});

type PayLink = (link: string, input: PaymentInput) => TransactionRow;

/**
 * Makes the payments that rules of the game launcher request in the journal, and records each result there: areas never import
 * each other.
 */
export function makeRulePayments({ journal, store }: World, pay: PayLink): void {
  journal.on(PAYMENT_REQUESTED, ({ data }) => {
    const { rule, link, amount, outcome, sender_address, metadata } = data as unknown as PaymentRequest;
    try {
      const { id, session_id, status } = store.transaction(() =>
        pay(link, {
          sender_address,
          metadata,
          ...(amount === null ? {} : { amount }),
          ...(outcome === null ? {} : { outcome }),
        }),
      );
      journal.append(RULE_PAYMENT, { rule, transaction_id: id, session_id, status });
    } catch (error) {
      if (!(error instanceof PlatformError || error instanceof SandboxError)) throw error;
      journal.append(RULE_PAYMENT, { rule, link, status: REFUSED, reason: error.message });
    }
  });
}
