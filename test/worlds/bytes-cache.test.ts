import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createBytesCache } from "../../src/runtime/bytes-cache.ts";

test("a beginning that is larger than the whole cache is cached until another one is", () => {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-cache-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const cache = createBytesCache(folder, 1_000);
  const large = Buffer.alloc(5_000, "large");
  cache.write("small", Buffer.from("small"));
  cache.write("large", large);
  expect(cache.read("large")).toEqual(large);
  expect(cache.read("small")).toBeUndefined();
});
