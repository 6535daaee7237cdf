import type { OPERATIONS } from "../../operations/index.ts";
import type { scenarioOperations } from "../../operations/scenarios.ts";
import type { Bound } from "./bound.ts";
import { dataBound } from "./chain-data.ts";
import { clockBound } from "./clock.ts";
import { faultBound } from "./faults.ts";
import { gameBound } from "./game.ts";
import { inboxBound } from "./inboxes.ts";
import { paymentBound } from "./payments.ts";
import { recordBound } from "./records.ts";
import { scenarioBound } from "./scenarios.ts";
import { senderBound } from "./senders.ts";
import { webhookBound } from "./webhooks.ts";
import { worldBound } from "./worlds.ts";

/** The implementation of every operation. */
export const BOUND: Bound<(typeof OPERATIONS | typeof scenarioOperations)[number]> = {
  ...worldBound,
  ...clockBound,
  ...paymentBound,
  ...webhookBound,
  ...senderBound,
  ...faultBound,
  ...dataBound,
  ...gameBound,
  ...recordBound,
  ...inboxBound,
  ...scenarioBound,
};
