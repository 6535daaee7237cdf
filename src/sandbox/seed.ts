import { existsSync, readFileSync } from "node:fs";
import { DEFAULT_SEED, DEFAULT_START, EMPTY_SEED, type Settings } from "../config/config.ts";
import { HISTORY_DAYS } from "../http/area.ts";
import { createWorld, type World, type WorldOptions } from "../world/world.ts";
import { type AnyArea, AREAS, tablesOf } from "./areas.ts";

/** How to create a seeded world: from a seed's fixtures, with times relative to `startAt` (virtual milliseconds). */
export interface SeedPlan {
  seed: string;
  startAt: number;
  /** Whether the world contains only senders. If so, no area has rows. */
  areSendersAlone?: boolean;
}

/** The most commonly used seeds. The build stores their prepared databases next to the compiled code. */
export const PREPARED_SEEDS = [DEFAULT_SEED, EMPTY_SEED];
export const preparedName = (seed: string): string => `${seed}-seed.db`;

const made = new WeakMap<readonly AnyArea[], Map<string, Promise<Buffer>>>();
const MOST_MADE = 8;

/**
 * The database of a freshly seeded world. The package contains prepared databases for the usual seeds.
 * @param days the length of the generated history in days
 */
export function seedBytes(
  plan: SeedPlan,
  areas: readonly AnyArea[],
  days = daysOf(plan.seed),
): Promise<Buffer> {
  const { seed, startAt, areSendersAlone = false } = plan;
  const name = `${seed}@${startAt}+${areSendersAlone ? "senders" : days}`;
  const cached = made.get(areas) ?? new Map<string, Promise<Buffer>>();
  made.set(areas, cached);
  const bytes =
    cached.get(name) ??
    (areas === AREAS && days === daysOf(seed) && !areSendersAlone ? preparedBytes(plan) : undefined) ??
    makeSeedBytes(plan, areas, days);
  // Move the seed to the end, so the least recently used one is evicted first.
  cached.delete(name);
  cached.set(name, bytes);
  for (const oldest of [...cached.keys()].slice(0, -MOST_MADE)) cached.delete(oldest);
  return bytes;
}

const daysOf = (seed: string): number => (seed === EMPTY_SEED ? 0 : HISTORY_DAYS);

function preparedBytes({ seed, startAt }: SeedPlan): Promise<Buffer> | undefined {
  if (!PREPARED_SEEDS.includes(seed) || startAt !== DEFAULT_START) return undefined;
  const file = new URL(preparedName(seed), import.meta.url);
  return existsSync(file) ? Promise.resolve(readFileSync(file)) : undefined;
}

/**
 * Seeds a world and returns its bytes. Called by the build, and by a test that compares the result with the prepared
 * file.
 * @param days the length of the generated history in days
 */
export async function makeSeedBytes(
  { seed, startAt, areSendersAlone = false }: SeedPlan,
  areas: readonly AnyArea[] = AREAS,
  days = daysOf(seed),
): Promise<Buffer> {
  return withWorld({ name: "seed", seed, startAt }, areas, async (world) => {
    if (!areSendersAlone) for (const area of areas) await area.seed(world, days);
    return world.store.serialize();
  });
}

/** Runs work in a temporary world whose clock is frozen. */
export async function withWorld<T>(
  beginning: Pick<WorldOptions, "name" | "seed" | "startAt" | "begins">,
  areas: readonly AnyArea[],
  work: (world: World) => Promise<T> | T,
): Promise<T> {
  const tables = tablesOf(areas);
  const world = createWorld({ ...beginning, mode: "paused", rate: 1, tables, settleTimeout: 0 });
  try {
    return await work(world);
  } finally {
    world.close();
  }
}

/** The database of a seeded world, including the configuration's additions. */
export async function freshBytes(
  plan: SeedPlan,
  settings: Settings,
  areas: readonly AnyArea[],
): Promise<Buffer> {
  return withAdditions(await seedBytes(plan, areas), settings, areas);
}

/** The database of a world that starts from these bytes, including the configuration's additions. */
export async function withAdditions(
  bytes: Buffer,
  settings: Settings,
  areas: readonly AnyArea[],
): Promise<Buffer> {
  const additions = areas.flatMap((area) => area.additions?.(settings) ?? []);
  if (additions.length === 0) return bytes;
  return withWorld({ name: "beginning", seed: "", startAt: 0, begins: { bytes } }, areas, (world) => {
    for (const add of additions) add(world);
    return world.store.serialize();
  });
}
