import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBytesCache } from "../../src/runtime/bytes-cache.ts";

test("the cache of initial worlds retains a world larger than its limit until the next world is written", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cache = createBytesCache(folder, 1_000);
  const large = Buffer.alloc(5_000, "large");
  cache.write("small", Buffer.from("small"));
  cache.write("large", large);
  expect(cache.read("large")).toEqual(large);
  expect(cache.read("small")).toBeUndefined();
});
