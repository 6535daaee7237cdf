import { chainDataArea } from "../chain-data/area.ts";
import { gameArea } from "../game/area.ts";
import type { GameArea } from "../game/game.ts";
import { paymentsArea } from "../payments/area.ts";
import type { Payments } from "../payments/payments.ts";
import type { World } from "../world/world.ts";
import type { Parts } from "./areas.ts";
import { createDataControls, type DataControls } from "./data.ts";
import { createGameControls, type GameControls } from "./game.ts";
import { createPaymentControls, makeRulePayments, type PaymentControls } from "./payments.ts";

/** The platform of a world, and what can be done with it. It is loaded and made only for a world that has its rows. */
export interface Platform {
  area: Payments;
  payments: PaymentControls;
  data: DataControls;
  game: GameControls;
  /** Its fields of the sandbox's status. */
  status(): ReturnType<Payments["status"]> & ReturnType<GameArea["status"]>;
}

/** @param settleTimeout real milliseconds in which a first attempt of a payment's events has to get its answer */
export function createPlatform(world: World, parts: Parts, settleTimeout: number): Platform {
  const area = parts.of(paymentsArea);
  const launcher = parts.of(gameArea);
  const payments = createPaymentControls(area, settleTimeout);
  makeRulePayments(world, (link, input) => payments.startPayment({ payment_link_id: link, ...input }));
  return {
    area,
    payments,
    data: createDataControls(parts.of(chainDataArea)),
    game: createGameControls(launcher),
    status: () => ({ ...area.status(), ...launcher.status() }),
  };
}
