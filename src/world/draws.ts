import type { Random } from "./random.ts";

/** Random values of one draw of a stream, as many as needed. */
export interface Draws {
  /** A whole number with 32 bits. */
  next(): number;
  /** A whole number between two others, both included. */
  between(min: number, max: number): number;
  /** One item of a list. */
  pick<T>(list: readonly T[]): T;
  /** One item of a list, more often one near its beginning. */
  pickEarly<T>(list: readonly T[]): T;
  /** Whether something with this probability happens. */
  chance(probability: number): boolean;
  /** Some items of a list, each at most once, in random order. */
  some<T>(list: readonly T[], count: number): T[];
  /** Deals the values of a table in random order, each as often as its number says, then starts again. */
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
