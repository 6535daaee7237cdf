import type { World } from "../world/world.ts";

/** The digits of each of the three parts. */
const DIGITS = 8;
const LARGEST_START = 0x0fff_ffff;

/** Makes the `_id` of a record of a kind; a seed can name another instant. */
export type MakeId = (kind: string, at?: number) => string;

/**
 * Ids in the form of an ObjectId: 24 hexadecimal characters, made of the second, a rising serial number and chance. So ids of a
 * kind sort in the order in which they were made.
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

/** More draws than a world makes. */
const FARTHEST = 1e8;

/** Prevents that an existing id is made again later. */
export function reserveObjectId({ random }: World, kind: string, id: string): void {
  const stream = `object_id:${kind}`;
  const position = Number.parseInt(id.slice(DIGITS, 2 * DIGITS), 16) - startOf(random, stream);
  if (position > 0 && position <= FARTHEST) random.skipTo(stream, position);
}

const hex = (number: number): string => (number % 2 ** 32).toString(16).padStart(DIGITS, "0");
