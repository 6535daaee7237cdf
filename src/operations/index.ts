import { dataOperations } from "./chain-data.ts";
import { clockOperations } from "./clock.ts";
import { faultOperations } from "./faults.ts";
import { gameOperations } from "./game.ts";
import { inboxOperations } from "./inboxes.ts";
import { outageOperations } from "./outages.ts";
import { paymentOperations } from "./payments.ts";
import { recordOperations } from "./records.ts";
import { scenarioOperations } from "./scenarios.ts";
import { senderOperations } from "./senders.ts";
import { storyOperations } from "./stories.ts";
import { webhookOperations } from "./webhooks.ts";
import { snapshotOperations, worldOperations } from "./worlds.ts";

/** Every operation on a world, or on a server's worlds and scenarios. */
export const OPERATIONS = [
  ...worldOperations,
  ...clockOperations,
  ...paymentOperations,
  ...webhookOperations,
  ...outageOperations,
  ...storyOperations,
  ...senderOperations,
  ...faultOperations,
  ...dataOperations,
  ...gameOperations,
  ...recordOperations,
  ...snapshotOperations,
  ...inboxOperations,
  ...scenarioOperations,
] as const;
