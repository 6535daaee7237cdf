import type { Random } from "./random.ts";

/** In character code order, so that strings of equal length sort like the numbers they encode. */
const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const SERIAL_LENGTH = 6;
const RANDOM_LENGTH = 10;
/** Serials start at a number below this, so that ids do not all begin with zeros. */
const LARGEST_START = 62 ** 5;

/** More draws than any world makes. A higher serial comes from another seed, so a collision is only a coincidence. */
const FARTHEST = 1e8;

/** Identifiers in several formats, drawn from the world's seeded streams. */
export interface Ids {
  /**
   * A resource id: the prefix, then 16 base62 characters (`pl_4fTzK0…`): a rising serial, then random ones. Ids therefore sort by
   * age, and an index grows at its end.
   */
  next(prefix: string): string;
  /** Ensures that an existing row's id is not drawn later. */
  reserve(prefix: string, id: string): void;
  /** Two strings between which all of the world's future ids sort. */
  ahead(prefix: string): [from: string, to: string];
  /** Draws `length` base62 characters from the named stream. */
  code(stream: string, length: number): string;
  /** Draws `bytes` random bytes as `0x` and hex: 20 for an address, 32 for a transaction hash. */
  hex(stream: string, bytes: number): string;
}

export function createIds(random: Random): Ids {
  /** The start of a prefix's serials, which the seed determines without a draw. */
  const startOf = (prefix: string) => random.fixed(`serials:${prefix}`).readUIntBE(0, 6) % LARGEST_START;

  return {
    next(prefix) {
      const numbers = random.draw(prefix);
      return prefix + serial(startOf(prefix) + random.drawn(prefix)) + letters(numbers, RANDOM_LENGTH);
    },
    reserve(prefix, id) {
      const position = readSerial(id.slice(prefix.length)) - startOf(prefix);
      if (position > 0 && position <= FARTHEST) random.skipTo(prefix, position);
    },
    ahead(prefix) {
      const start = startOf(prefix);
      return [prefix + serial(start + random.drawn(prefix) + 1), prefix + serial(start + FARTHEST)];
    },
    code: (stream, length) => letters(random.draw(stream), length),
    hex: (stream, bytes) => `0x${random.bytes(stream).subarray(0, bytes).toString("hex")}`,
  };
}

/** A 32-bit number is enough for five base62 characters. */
const LETTERS_IN_NUMBER = 5;

function letters(numbers: () => number, length: number): string {
  let text = "";
  let rest = 0;
  for (let index = 0; index < length; index += 1) {
    if (index % LETTERS_IN_NUMBER === 0) rest = numbers();
    text += BASE62[rest % 62];
    rest = Math.floor(rest / 62);
  }
  return text;
}

function serial(number: number): string {
  let text = "";
  for (let rest = number; text.length < SERIAL_LENGTH; rest = Math.floor(rest / 62))
    text = BASE62[rest % 62] + text;
  return text;
}

/** Decodes an id's serial; NaN if the string is not an id. */
function readSerial(text: string): number {
  if (text.length !== SERIAL_LENGTH + RANDOM_LENGTH) return Number.NaN;
  let number = 0;
  for (const letter of text.slice(0, SERIAL_LENGTH)) {
    const digit = BASE62.indexOf(letter);
    if (digit < 0) return Number.NaN;
    number = number * 62 + digit;
  }
  return number;
}
