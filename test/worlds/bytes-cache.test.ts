import { expect, test } from "vitest";
import { createBytesCache } from "../../src/runtime/bytes-cache.ts";
import { folderOf } from "../support/cli.ts";

test("the cache of initial worlds retains a world larger than its limit until the next world is written", () => {
  const cache = createBytesCache(folderOf(), 1_000);
  const large = Buffer.alloc(5_000, "large");
  cache.write("small", Buffer.from("small"));
  cache.write("large", large);
  expect(cache.read("large")).toEqual(large);
  expect(cache.read("small")).toBeUndefined();
});
