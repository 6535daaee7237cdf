import type { Chance } from "../chance.ts";

/** How many values of a kind are remembered; the oldest go first. */
const REMEMBERED = 48;
const PAIR = /"([A-Za-z_]{1,40})":"([^"\\]{1,120})"/g;
const NAMES = new Set(["id", "_id", "name"]);
/** Answers are read up to here. */
const MOST_CHARACTERS = 20_000;

/** Values that answers contained: ids above all, so that later requests name things that exist. */
export class Harvest {
  readonly #values = new Map<string, string[]>();
  readonly #keep: (value: string) => boolean;

  /** @param keep whether a value may be used in later requests */
  constructor(keep: (value: string) => boolean) {
    this.#keep = keep;
  }

  /** @param path of the operation that was answered: its ids are those of the collection at that path */
  learn(path: string, text: string): void {
    for (const [, key, value] of text.slice(0, MOST_CHARACTERS).matchAll(PAIR)) {
      if (!this.#keep(value!)) continue;
      this.add(key!, value!);
      if (NAMES.has(key!)) this.add(path, value!);
    }
  }

  add(kind: string, value: string): void {
    const values = this.#values.get(kind);
    if (!values) this.#values.set(kind, [value]);
    else if (!values.includes(value)) {
      values.push(value);
      if (values.length > REMEMBERED) values.shift();
    }
  }

  /** A value of the first of these kinds that there is any of. */
  pick(chance: Chance, ...kinds: string[]): string | undefined {
    for (const kind of kinds) {
      const values = this.#values.get(kind);
      if (values) return chance.pick(values);
    }
    return undefined;
  }
}
