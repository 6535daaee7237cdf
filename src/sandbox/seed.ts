import { existsSync, readFileSync } from "node:fs";
import { DATA_TABLES } from "../chain-data/tables.ts";
import { DEFAULT_SEED, DEFAULT_START } from "../config/config.ts";
import { GAME_TABLES } from "../game/tables.ts";
import { SESSION_EXPIRY } from "../payments/checkout-sessions.ts";
import { PAYMENT_ROW_RULES } from "../payments/row-rules.ts";
import { seedOrganizations } from "../payments/seed/organizations.ts";
import { PAYMENT_TABLES } from "../payments/tables.ts";
import { CONFIRMATION } from "../payments/transactions.ts";
import { RESUME_TIMER, TIMEOUT_TIMER } from "../payments/webhooks/attempts.ts";
import { ATTEMPT_TIMER } from "../payments/webhooks/events.ts";
import type { WorldForm } from "../world/snapshot.ts";
import { createWorld } from "../world/world.ts";

/** The seed that makes organizations and API keys, and nothing else; games are there in any case. */
export const EMPTY_SEED = "empty";

/** The tables of the areas. */
export const AREA_TABLES = [...PAYMENT_TABLES, ...DATA_TABLES, ...GAME_TABLES];

/** What a world of this version consists of, beside what every world has. */
export const WORLD_FORM: WorldForm = {
  tables: AREA_TABLES,
  timerKinds: [ATTEMPT_TIMER, TIMEOUT_TIMER, RESUME_TIMER, SESSION_EXPIRY, CONFIRMATION],
  rows: {
    json: {
      ...PAYMENT_ROW_RULES.json,
      "data_holdings.items": "array",
      "game_participants.permissions": "array",
      "game_rule_runs.answer": "object",
    },
    references: PAYMENT_ROW_RULES.references,
  },
};

/** What a world begins with: a seed's fixtures, as they stand at `startAt` (virtual milliseconds). */
export interface SeedPlan {
  seed: string;
  startAt: number;
}

/** Written by the build beside the compiled code: the default seed, ready made. */
const PREPARED = new URL("./default-seed.db", import.meta.url);

const made = new Map<string, Promise<Buffer>>();

/** The database of a freshly seeded world. The default seed comes ready made with the package. */
export function seedBytes(plan: SeedPlan): Promise<Buffer> {
  const name = `${plan.seed}@${plan.startAt}`;
  let bytes = made.get(name);
  if (!bytes) {
    bytes = preparedBytes(plan) ?? makeSeedBytes(plan);
    if (made.size >= 8) made.clear();
    made.set(name, bytes);
  }
  return bytes;
}

function preparedBytes({ seed, startAt }: SeedPlan): Promise<Buffer> | undefined {
  if (seed !== DEFAULT_SEED || startAt !== DEFAULT_START || !existsSync(PREPARED)) return undefined;
  return Promise.resolve(readFileSync(PREPARED));
}

/** Seeds a world of its own and gives its bytes: what the build prepares, and a test compares. */
export async function makeSeedBytes({ seed, startAt }: SeedPlan): Promise<Buffer> {
  const world = createWorld({
    name: "seed",
    seed,
    startAt,
    mode: "paused",
    rate: 1,
    tables: AREA_TABLES,
    settleTimeout: 0,
  });
  try {
    if (seed === EMPTY_SEED) seedOrganizations(world);
    else {
      await (await import("../payments/seed/index.ts")).seedPayments(world);
      await (await import("../game/seed/index.ts")).seedGame(world);
    }
    return world.store.serialize();
  } finally {
    world.close();
  }
}
