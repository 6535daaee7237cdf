import { describe, expect, it } from "vitest";
import { exploreShop } from "./workers.ts";

describe("several workers of sandglass explore", () => {
  it("are recommended for a server that works on for long after its answers", async () => {
    // Many times what counts as long, as a busy machine begins to watch later.
    const late = await exploreShop(true, 1, "node shop.mjs 1 600", "--shard", "12/12");
    expect(late.code).toBe(0);
    expect(late.stderr).toContain("with --start, subject.workers: 8 tries eight at once");
  });
});
