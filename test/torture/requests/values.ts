import fc from "fast-check";
import type { Chance } from "../chance.ts";
import type { Schema } from "./documents.ts";
import type { Harvest } from "./harvest.ts";

const NASTY: readonly unknown[] = [
  ...["", " ", "\u0000", "null", "NaN", "-0", "%00", "%", "../../etc/passwd", "' or 1=1 --", "__proto__"],
  ...[
    "constructor",
    "toString",
    "0x",
    "-1h",
    "P",
    "Z",
    "2026-02-30T00:00:00Z",
    "http://[::1",
    "\u202e",
    "🏳️‍🌈",
  ],
  ...["9".repeat(78), "9".repeat(79), "x".repeat(257), "x".repeat(5_000), "http://127.0.0.1:99999/"],
  ...[null, true, false, 0, -0, -1, 0.5, 1e308, -1e308, 2 ** 31, 2 ** 53, -(2 ** 63)],
  ...[[], {}, [[]], [null], { length: 1 }, { toString: 1 }, { toJSON: "x" }, JSON.parse('{"__proto__": 1}')],
];

const HOSTILE = fc.oneof(
  fc.constantFrom(...NASTY),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.double(),
  fc.maxSafeInteger(),
  fc.date({ noInvalidDate: true }).map((date) => date.toISOString()),
);

/** Caps the real time that a request may ask to wait, so no request takes minutes. */
const MOST_WAIT_MS = 20;
const WAITS = new Set(["latency", "delay"]);

/** Generates valid and invalid values for the fields of a schema. */
export class Values {
  readonly #chance: Chance;
  readonly #harvest: Harvest;
  /** Values that are meaningful only in one world, such as a token or a reachable URL, keyed by field name. */
  readonly #special: Record<string, readonly string[]>;
  readonly #hostile: readonly unknown[];
  readonly #matching = new Map<string, readonly string[]>();

  constructor(chance: Chance, harvest: Harvest, special: Record<string, readonly string[]>) {
    this.#chance = chance;
    this.#harvest = harvest;
    this.#special = special;
    this.#hostile = fc.sample(HOSTILE, { seed: chance.below(2 ** 31), numRuns: 400 });
  }

  /** A value that is invalid everywhere, or valid only by chance. */
  hostile(): unknown {
    return this.#chance.pick(this.#hostile);
  }

  /** A body. With `spoil`, about one field in ten is hostile, left out or added. */
  body(schema: Schema, spoil: boolean): unknown {
    const value = this.of(schema, "", spoil);
    if (value !== null && typeof value === "object") {
      const fields = value as Record<string, unknown>;
      if (spoil && this.#chance.maybe(0.15))
        fields[(JSON.stringify(this.hostile()) ?? "").slice(0, 50)] = this.hostile();
      for (const name of WAITS)
        if (typeof fields[name] === "number") fields[name] = Math.min(fields[name], MOST_WAIT_MS);
    }
    return value;
  }

  /** @param kinds the kinds of remembered values to use, in addition to the field's name */
  of(schema: Schema, name: string, spoil = false, ...kinds: string[]): unknown {
    const chance = this.#chance;
    if (spoil && name !== "" && chance.maybe(0.1)) return this.hostile();
    if (WAITS.has(name)) return chance.below(MOST_WAIT_MS);
    const special = this.#special[name];
    if (special && chance.maybe(0.95)) return chance.pick(special);
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return chance.pick(schema.enum);
    if (schema.anyOf) return this.of(chance.pick(schema.anyOf), name, spoil, ...kinds);
    if (schema.examples && chance.maybe(0.4)) return chance.pick(schema.examples);
    const type = Array.isArray(schema.type) ? chance.pick(schema.type) : schema.type;
    if (type === "string") return this.#text(schema, name, kinds);
    if (type === "integer") return this.#number(schema);
    if (type === "number") return chance.maybe(0.7) ? this.#number(schema) : chance.next() * 1_000;
    if (type === "boolean") return chance.maybe(0.5);
    if (type === "null") return null;
    if (type === "array") {
      const most = Math.min(schema.maxItems ?? 4, 6);
      return Array.from({ length: chance.between(Math.min(schema.minItems ?? 0, most), most) }, () =>
        this.of(schema.items ?? {}, name, spoil),
      );
    }
    return type === "object" ? this.#object(schema, spoil) : this.hostile();
  }

  #object(schema: Schema, spoil: boolean): Record<string, unknown> {
    const chance = this.#chance;
    const value: Record<string, unknown> = {};
    for (const [name, property] of Object.entries<Schema>(schema.properties ?? {})) {
      const required = schema.required?.includes(name) ?? false;
      if (required ? spoil && chance.maybe(0.03) : chance.maybe(0.55)) continue;
      value[name] = this.of(property, name, spoil);
    }
    const free = schema.patternProperties && Object.values(schema.patternProperties)[0];
    if (free !== undefined)
      for (let left = chance.below(4); left > 0; left -= 1)
        value[chance.text("abcdef_", 5)] = this.of(free, "", spoil);
    return value;
  }

  #number({ minimum = 0, maximum = 1_000_000 }: Schema): number {
    const chance = this.#chance;
    const most = Math.min(maximum, 2 ** 52);
    return chance.maybe(0.3)
      ? chance.pick([minimum, most])
      : chance.between(minimum, Math.min(most, minimum + 200));
  }

  #text(schema: Schema, name: string, kinds: string[]): string {
    const chance = this.#chance;
    const found = chance.maybe(0.85) ? this.#harvest.pick(chance, ...kinds, name) : undefined;
    if (found !== undefined) return found;
    if (schema.pattern) return chance.pick(this.#matches(schema.pattern));
    if (schema.format === "address") return `0x${chance.text("0123456789abcdefABCDEF", 40)}`;
    if (schema.format === "amount") return String(chance.between(1, 10 ** chance.between(1, 15)));
    if (schema.format === "instant") return new Date(1.768e12 + chance.below(1e10)).toISOString();
    if (schema.format === "email") return `${chance.text("abcxyz.", 8)}x@example.com`;
    if (schema.format === "http-url") return `https://example.com/${chance.text("abc/", 6)}`;
    const least = schema.minLength ?? 0;
    const most = Math.min(schema.maxLength ?? 40, least + 40);
    return chance.text("abcXYZ019 _-é漢", chance.between(least, most));
  }

  #matches(pattern: string): readonly string[] {
    let texts = this.#matching.get(pattern);
    if (!texts) {
      const seed = this.#chance.below(2 ** 31);
      texts = fc.sample(fc.stringMatching(new RegExp(pattern)), { seed, numRuns: 20 });
      this.#matching.set(pattern, texts);
    }
    return texts;
  }
}
