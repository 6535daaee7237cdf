import type { World } from "../world/world.ts";

/** The number of hexadecimal digits in each of the three parts. */
const DIGITS = 8;
const LARGEST_START = 0x0fff_ffff;

/** Creates an `_id` for a kind of record. The seeding code can pass an earlier instant. */
export type MakeId = (kind: string, at?: number) => string;

/**
 * Ids in ObjectId format: 24 hexadecimal characters from the second, an increasing serial number and random bits. Ids
 * of a kind therefore sort in creation order.
 */
export function createObjectIds({ random, clock }: World): MakeId {
  return (kind, at = clock.now()) => {
    const stream = `object_id:${kind}`;
    const chance = random.draw(stream)();
    return hex(Math.floor(at / 1_000)) + hex(startOf(random, stream) + random.drawn(stream)) + hex(chance);
  };
}

const startOf = (random: World["random"], stream: string): number =>
  random.fixed(`serials:${stream}`).readUInt32BE(0) % LARGEST_START;

/** More draws than any world will make. */
const FARTHEST = 1e8;

/** Ensures that an existing id is never generated again. */
export function reserveObjectId({ random }: World, kind: string, id: string): void {
  const stream = `object_id:${kind}`;
  const position = Number.parseInt(id.slice(DIGITS, 2 * DIGITS), 16) - startOf(random, stream);
  if (position > 0 && position <= FARTHEST) random.skipTo(stream, position);
}

const hex = (number: number): string => (number % 2 ** 32).toString(16).padStart(DIGITS, "0");
