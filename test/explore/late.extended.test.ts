import { expect, test } from "vitest";
import { correctShop } from "./handlers.ts";
import { explore } from "./late.ts";

test("explore does not call a server non-deterministic if it stops responding", async () => {
  const silent = explore(correctShop(), { webhooks: (_response, count) => count > 11 }, 250);
  await expect(silent).rejects.toThrow(
    /^The subscriber stopped responding\. .* it now fails at \S+: it did not respond in time\./,
  );
});
