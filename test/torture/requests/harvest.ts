import type { Chance } from "../chance.ts";

/** How many values of each kind are remembered. The oldest values are dropped first. */
const REMEMBERED = 48;
const PAIR = /"([A-Za-z_]{1,40})":"([^"\\]{1,120})"/g;
const NAMES = new Set(["id", "_id", "name"]);
/** Only this much of each response is searched. */
const MOST_CHARACTERS = 20_000;

/** Values from responses, mostly ids, so later requests can refer to things that exist. */
export class Harvest {
  readonly #values = new Map<string, string[]>();
  readonly #keep: (value: string) => boolean;

  /** @param keep whether later requests may use a value */
  constructor(keep: (value: string) => boolean) {
    this.#keep = keep;
  }

  /** @param path the path of the operation; the ids in its response belong to the collection at this path */
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

  /** A value of the first of these kinds for which a value is remembered. */
  pick(chance: Chance, ...kinds: string[]): string | undefined {
    for (const kind of kinds) {
      const values = this.#values.get(kind);
      if (values) return chance.pick(values);
    }
    return undefined;
  }
}
