import { describe, expect, test } from "../../src/entries/vitest.ts";

describe("worlds of Vitest tests", () => {
  for (const name of ["one", "two", "three"])
    test.concurrent(`the Vitest test ${name} gets a world with its own data and time`, async ({
      sandbox,
    }) => {
      await sandbox.platform.call("POST", "/payment-links", { name, short_code: "sameas" });
      await sandbox.clock.advance("1h");
      const { data } = await sandbox.platform.call<{ data: { name: string }[] }>(
        "GET",
        "/payment-links?search=sameas",
      );
      expect(data.map((link) => link.name)).toEqual([name]);
      expect(await sandbox.clock.now()).toBe("2026-01-15T10:00:00.000Z");
    });

  test("a Vitest test can use sandboxServer without a world", async ({ sandboxServer }) => {
    const answer = await fetch(`${sandboxServer.url}/_sandbox/worlds`);
    const { data } = (await answer.json()) as { data: { name: string }[] };
    expect(data.map(({ name }) => name)).toContain("default");
  });
});
