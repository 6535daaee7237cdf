import { chainDataArea } from "../chain-data/area.ts";
import { SandboxError } from "../errors/errors.ts";
import { gameArea } from "../game/area.ts";
import type { GameArea } from "../game/game.ts";
import { PAYMENT_REQUESTED, type PaymentRequest, REFUSED, RULE_PAYMENT } from "../game/rules/actions.ts";
import { paymentsArea } from "../payments/area.ts";
import { PlatformError } from "../payments/errors.ts";
import type { Payments } from "../payments/payments.ts";
import type { World } from "../world/world.ts";
import type { Parts } from "./areas.ts";
import { createPaymentControls, type PaymentControls } from "./checkouts.ts";
import { createDataControls, type DataControls } from "./data.ts";
import { createGameControls, type GameControls } from "./game.ts";

/** A world's platform and its operations. It is loaded and created only for worlds that contain platform data. */
export interface Platform {
  area: Payments;
  payments: PaymentControls;
  data: DataControls;
  game: GameControls;
  /** The platform's fields in the sandbox's status. */
  status(): ReturnType<Payments["status"]> & ReturnType<GameArea["status"]>;
}

/** @param settleTimeout how long a first attempt of a payment's events may take, in real milliseconds */
export function createPlatform(world: World, parts: Parts, settleTimeout: number): Platform {
  const area = parts.of(paymentsArea);
  const launcher = parts.of(gameArea);
  const payments = createPaymentControls(area, settleTimeout);
  makeRulePayments(world, payments);
  return {
    area,
    payments,
    data: createDataControls(parts.of(chainDataArea)),
    game: createGameControls(launcher),
    status: () => ({ ...area.status(), ...launcher.status() }),
  };
}

/**
 * Makes the payments that the game launcher's rules request in the journal, and records their results in the journal.
 * This is done here because areas must not import each other.
 */
function makeRulePayments({ journal, store }: World, { startPayment }: PaymentControls): void {
  journal.on(PAYMENT_REQUESTED, ({ data }) => {
    const { rule, link, amount, outcome, sender_address, metadata } = data as unknown as PaymentRequest;
    try {
      const { id, session_id, status } = store.transaction(() =>
        startPayment({
          payment_link_id: link,
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
