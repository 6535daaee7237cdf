import type { Faker } from "@faker-js/faker";
import { HOUR } from "../../world/duration.ts";
import { createSave, type Save } from "../../world/save.ts";
import type { World } from "../../world/world.ts";
import type { AuditEventType } from "../audit.ts";
import { HISTORY } from "./organizations.ts";

/** Something for the audit trail, noted by the code that seeds the resource. */
export interface AuditNote {
  org: string;
  type: AuditEventType;
  resourceId: string;
  at: number;
}

/** What the parts of the seed are made with. */
export interface Seeding {
  world: World;
  /** Drawn from the world's seed; never the shared instance of the user's own process. */
  faker: Faker;
  /** The end of history: what the clock shows. */
  now: number;
  /** The beginning of history. */
  start: number;
  save: Save;
  /** What the audit trail will show, in no order. */
  trail: AuditNote[];
}

/**
 * Loads faker and makes an instance of one's own from its English locale.
 * @returns what starts the seeding; call it inside the transaction, as it draws from the world
 */
export async function prepareSeeding(): Promise<(world: World) => Seeding> {
  const { faker } = await import("@faker-js/faker/locale/en");
  const Own = faker.constructor as typeof Faker;
  return (world) => {
    const seed = world.random.bytes("fixtures").readUInt32BE(0);
    const now = world.clock.now();
    return {
      world,
      faker: new Own({ locale: faker.rawDefinitions, seed }),
      now,
      start: now - HISTORY,
      save: createSave(world.store),
      trail: [],
    };
  };
}

/** Whether something with this probability happens. */
export function chance({ faker }: Seeding, probability: number): boolean {
  return faker.number.int({ min: 0, max: 999_999 }) < probability * 1_000_000;
}

/** A whole number between two, both included. */
export function between({ faker }: Seeding, min: number, max: number): number {
  return faker.number.int({ min, max });
}

/** One of a list. */
export function pick<T>({ faker }: Seeding, list: readonly T[]): T {
  return list[faker.number.int({ min: 0, max: list.length - 1 })]!;
}

/** One of a list, by weight. */
export function weighted<T>(seeding: Seeding, list: readonly { weight: number; value: T }[]): T {
  const total = list.reduce((sum, { weight }) => sum + weight, 0);
  let left = between(seeding, 1, total);
  for (const { weight, value } of list) {
    left -= weight;
    if (left <= 0) return value;
  }
  return list.at(-1)!.value;
}

/** How busy the hours of a day (UTC) and the days of a week (Sunday first) are. */
const RHYTHMS = {
  shoppers: {
    hours: [3, 2, 1, 1, 1, 2, 5, 9, 12, 12, 11, 12, 15, 14, 12, 12, 13, 15, 18, 21, 22, 18, 11, 6],
    days: [13, 9, 9, 10, 10, 12, 15],
    /** How much more happens at the end of the period than at its beginning. */
    growth: 1.3,
  },
  staff: {
    hours: [0, 0, 0, 0, 0, 0, 1, 5, 12, 14, 13, 10, 6, 11, 13, 12, 9, 5, 2, 1, 1, 0, 0, 0],
    days: [1, 12, 11, 11, 10, 9, 3],
    growth: 0.2,
  },
} as const;

/**
 * Instants at which people do something: by the hour, by the day of the week, some days better than others,
 * more as time goes on. Always UTC.
 * @returns `count` of them between `from` and `to`, in order
 */
export function instants(
  seeding: Seeding,
  rhythm: keyof typeof RHYTHMS,
  { count, from, to }: { count: number; from: number; to: number },
): number[] {
  const { hours, days, growth } = RHYTHMS[rhythm];
  const slots = Math.max(1, Math.floor((to - from) / HOUR));
  const sums: number[] = [];
  let total = 0;
  let luck = 100;
  for (let slot = 0; slot < slots; slot += 1) {
    const hour = new Date(from + slot * HOUR);
    if (slot % 24 === 0) luck = between(seeding, 70, 130);
    total += hours[hour.getUTCHours()]! * days[hour.getUTCDay()]! * luck * (1 + (growth * slot) / slots);
    sums.push(total);
  }
  const found: number[] = [];
  let slot = 0;
  for (let index = 0; index < count; index += 1) {
    const target = ((index + between(seeding, 0, 9_999) / 10_000) / count) * total;
    while (sums[slot]! <= target) slot += 1;
    found.push(from + slot * HOUR + between(seeding, 0, HOUR - 1));
  }
  return found.sort((a, b) => a - b);
}
