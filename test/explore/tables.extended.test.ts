import { describe, expect, it } from "vitest";
import { exploreSubscriptions } from "./tables.ts";

describe("a story that ends where it began", () => {
  it("explore finds a cancelled subscription that reappears, no matter which rows existed before", async () => {
    const { failure } = await exploreSubscriptions("ignore", { retry: "1m" });
    expect(failure?.differences).toMatchObject([
      { path: "subs.sub_1", expected: undefined, actual: { id: "sub_1" } },
    ]);
    const before = "insert into subs values ('sub_1', 'canceled')";
    const again = await exploreSubscriptions("ignore", { ends: "update", retry: "1m", before });
    expect(again.failure?.differences).toMatchObject([
      { path: "subs.sub_1.status", expected: "canceled", actual: "active" },
    ]);
  });
});
