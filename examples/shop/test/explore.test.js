import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { explore } from "sandglass";
import { expect, onTestFinished, test } from "vitest";
import { createShop } from "../src/shop.js";

const SECRET = "whsec_dev";

test("the shop reaches the same final state no matter how two deliveries of a late payment go wrong", {
  timeout: 300_000,
}, async () => {
  const folder = mkdtempSync(join(tmpdir(), "shop-"));
  const path = join(folder, "shop.db");
  const platform = { url: "http://127.0.0.1:9", key: "none" };
  const shop = createShop({ database: path, platform, secret: SECRET, sendMail: async () => undefined });
  const server = shop.app.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
    shop.close();
    rmSync(folder, { recursive: true });
  });
  // The order that the stories are about, as a customer began it: with the last use of a code.
  shop.orders.begin("ada@example.com", "LAST", "order-7");

  const { failure } = await explore({
    subscriber: `http://127.0.0.1:${server.address().port}/webhooks`,
    secret: SECRET,
    state: `sqlite:${path}`,
    inPlace: true,
    story: "late-payment",
    deviations: 2,
    budget: "4m",
  });
  expect(failure?.story).toBe(undefined);
});
