import fc from "fast-check";
import { expect, test } from "vitest";
import { readShard, shardOf } from "../../src/cli/trial/run-flags.ts";

test("each scenario is in exactly one shard, in order, and shards differ in size by at most one", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.nat(), { maxLength: 40 }),
      fc.integer({ min: 1, max: 12 }),
      (items, count) => {
        const parts = Array.from({ length: count }, (_part, index) =>
          shardOf(items, readShard(`${index + 1}/${count}`)),
        );
        expect(parts.flat().sort()).toEqual([...items].sort());
        for (const part of parts) expect(part).toEqual(items.filter((item) => part.includes(item)));
        const sizes = parts.map(({ length }) => length);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      },
    ),
  );
});
