import { expect, test } from "vitest";
import { correctShop } from "./handlers.ts";
import { explore } from "./late.ts";

test("explore does not call a server non-deterministic if it stops responding", async () => {
  const silent = explore(correctShop(), { webhooks: (_response, count) => count > 11 }, 250);
  await expect(silent).rejects.toThrow(
    /^The subscriber stopped answering\. .* at \S+ now: it did not answer in time\./,
  );
});
