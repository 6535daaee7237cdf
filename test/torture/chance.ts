/** Seeded random numbers: the same seed gives the same numbers on every machine. */
export class Chance {
  #state: number;

  readonly seed: string;

  constructor(seed: string) {
    this.seed = seed;
    let hash = 2166136261;
    for (let index = 0; index < seed.length; index += 1)
      hash = Math.imul(hash ^ seed.charCodeAt(index), 16777619);
    this.#state = hash >>> 0;
  }

  /** Creates a separate stream, which is not affected by numbers drawn from this one. */
  fork(name: string): Chance {
    return new Chance(`${this.seed}/${name}`);
  }

  /** Returns a number that is at least 0 and below 1 (mulberry32). */
  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let value = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4294967296;
  }

  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** Returns an integer between the two bounds, inclusive. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  maybe(probability: number): boolean {
    return this.next() < probability;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  text(alphabet: string, length: number): string {
    return Array.from({ length }, () => alphabet[this.below(alphabet.length)]).join("");
  }
}

/** Creates a function that picks by weight. The sums are computed only once. */
export function weighted<T>(list: readonly T[], weightOf: (item: T) => number): (chance: Chance) => T {
  const sums: number[] = [];
  let total = 0;
  for (const item of list) {
    total += weightOf(item);
    sums.push(total);
  }
  return (chance) => {
    const at = chance.next() * total;
    return list[sums.findIndex((sum) => at < sum)]!;
  };
}
