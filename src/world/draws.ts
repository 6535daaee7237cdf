import type { Random } from "./random.ts";

/** What a seed is drawn with: one draw of a stream, which gives as many numbers as are asked for. */
export interface Draws {
  /** A whole number of 32 bits. */
  next(): number;
  /** A whole number between two, both included. */
  between(min: number, max: number): number;
  /** One of a list. */
  pick<T>(list: readonly T[]): T;
  /** One of a list; those near its beginning come more often. */
  pickEarly<T>(list: readonly T[]): T;
  /** Whether something with this probability happens. */
  chance(probability: number): boolean;
  /** Some of a list, each once, in no order. */
  some<T>(list: readonly T[], count: number): T[];
  /** Deals the values of a table, each as often as its number says, in no order; then all of them again. */
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
