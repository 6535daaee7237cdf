import type { Faker } from "@faker-js/faker";
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
