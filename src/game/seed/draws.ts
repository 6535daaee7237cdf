import type { World } from "../../world/world.ts";

/** What the seed is drawn with: one stream of the world's. */
export type Draws = ReturnType<typeof createDraws>;

export function createDraws({ random }: World) {
  const next = random.draw("game fixtures");
  const between = (min: number, max: number): number => min + (next() % (max - min + 1));
  const pick = <T>(list: readonly T[]): T => list[next() % list.length]!;

  return {
    next,
    /** A whole number between two, both included. */
    between,
    pick,
    /** Whether something with this probability happens. */
    chance: (probability: number): boolean => next() < probability * 2 ** 32,
    /** One of a list; those near its beginning come more often. */
    pickEarly: <T>(list: readonly T[]): T =>
      list[Math.min(between(0, list.length - 1), between(0, list.length - 1))]!,
    /** Some of a list, each once, in no order. */
    some<T>(list: readonly T[], count: number): T[] {
      const rest = [...list];
      return Array.from(
        { length: Math.min(count, rest.length) },
        () => rest.splice(next() % rest.length, 1)[0]!,
      );
    },
  };
}
