import type { Random } from "./random.ts";

/** One draw from a stream, which yields any number of random values. */
export interface Draws {
  /** A 32-bit integer. */
  next(): number;
  /** An integer between two others, inclusive. */
  between(min: number, max: number): number;
  pick<T>(list: readonly T[]): T;
  /** Picks one item from a list, preferring those near its start. */
  pickEarly<T>(list: readonly T[]): T;
  /** Returns true with this probability. */
  chance(probability: number): boolean;
  /** Picks distinct items from a list, in random order. */
  some<T>(list: readonly T[], count: number): T[];
  /** Deals a table's values in random order, each `count` times, and then starts over. */
  deal<T>(table: readonly (readonly [value: T, count: number])[]): () => T;
}

export function createDraws(random: Random, stream: string): Draws {
  const next = random.draw(stream);
  const between = (min: number, max: number): number => min + (next() % (max - min + 1));
  const some = <T>(list: readonly T[], count: number): T[] => {
    const rest = [...list];
    return Array.from(
      { length: Math.min(count, rest.length) },
      () => rest.splice(next() % rest.length, 1)[0]!,
    );
  };

  return {
    next,
    between,
    pick: (list) => list[next() % list.length]!,
    pickEarly: (list) => list[Math.min(between(0, list.length - 1), between(0, list.length - 1))]!,
    chance: (probability) => next() < probability * 2 ** 32,
    some,
    deal(table) {
      const all = table.flatMap(([value, count]) => Array<typeof value>(count).fill(value));
      let left: typeof all = [];
      return () => {
        if (left.length === 0) left = some(all, all.length);
        return left.pop()!;
      };
    },
  };
}
