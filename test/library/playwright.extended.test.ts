import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { BROWSER, BROWSER_ARGS } from "../support/chromium.ts";
import { blocksOf, readPage } from "../support/docs.ts";
import { portOfItsOwn } from "../support/ports.ts";
import { binOf, consumerProject } from "./consumer.ts";

const CONFIG = `
export default {
  use: { launchOptions: ${JSON.stringify({ executablePath: BROWSER, args: BROWSER_ARGS })} },
  workers: 1,
  timeout: 300_000,
  expect: { timeout: 60_000 },
  reporter: [["line"], ["json", { outputFile: "results.json" }]],
};
`;

const STORIES = `
import { expect, test } from "sandglass/playwright";

test("a session expires before the customer pays", async ({ page, sandbox, checkout }) => {
  const { url } = sandbox.inbox("shop");
  await sandbox.webhooks.create({ url, events: ["checkout.expired"] });
  await checkout.open("coffee", { client_reference_id: "order-7", expires_in: 1800 });
  await expect(checkout.timeLeft).toHaveText("30:00");
  await page.evaluate(() => setTimeout(() => (document.title = "29 minutes later"), 29 * 60_000));

  await sandbox.clock.advance("29m");
  await expect(checkout.timeLeft).toHaveText("1:00");
  await expect(page).toHaveTitle("29 minutes later");
  expect(await page.evaluate(() => new Date().toISOString())).toMatch(/^2026-01-15T09:29:0/);

  await sandbox.clock.advance("1m");
  await expect(checkout.heading).toHaveText("This checkout has expired");
  const [{ body }] = await sandbox.inbox("shop").messages();
  expect(JSON.parse(body).data.client_reference_id).toBe("order-7");
});

test("the next world is fresh, at the same address", async ({ sandbox, sandboxServer, checkout }) => {
  expect(sandbox.url).toBe(sandboxServer.url);
  expect(await sandbox.clock.now()).toBe("2026-01-15T09:00:00.000Z");
  expect(await sandbox.inbox("shop").messages()).toEqual([]);
  await checkout.open("coffee");
  await checkout.refuse("reverted");
  await expect(checkout.notice).toContainText("the transaction reverted");
  await expect(checkout.heading).toHaveText("Pay");
});

test("a customer pays, and goes back to the shop", async ({ page, sandbox, checkout }) => {
  await page.route("https://shop.example/**", (route) => route.fulfill({ body: "Thank you" }));
  await checkout.open("coffee", { client_reference_id: "order-8", success_url: "https://shop.example/thanks" });
  await checkout.pay({ email: "ada@example.com", name: "Ada" });
  await expect(checkout.heading).toHaveText("Paid");
  await checkout.backToShop();
  await expect(page).toHaveURL("https://shop.example/thanks");
});
`;

const FAILING = `
import { expect, test } from "sandglass/playwright";

test.use({ sandboxOptions: { startAt: "2027-01-01T00:00:00Z" } });
test.fail("is expected to fail", async ({ sandbox }) => expect(sandbox.world).toBe(""));
test("the error names a link that does not exist", async ({ sandbox, checkout }) => {
  expect(await sandbox.clock.now()).toBe("2027-01-01T00:00:00.000Z");
  await sandbox.payments.createLink({ name: "Left behind", amount: "1" });
  await checkout.open("coffe");
});
`;

/** The shop in the guide. It sells coffee, and returns what it knows about an order. */
const SERVER = `
import { createServer } from "node:http";
import { readWebhook } from "sandglass";

const { PORT, PLATFORM_URL, PLATFORM_KEY, WEBHOOK_SECRET } = process.env;
let order = "none";
createServer(async (request, response) => {
  const body = Buffer.concat(await request.toArray());
  if (request.url === "/webhooks") {
    const { event } = readWebhook(body, request.headers, WEBHOOK_SECRET);
    if (event === "checkout.expired") order = "cancelled";
  }
  if (request.url === "/buy") {
    order = "open";
    const opened = await fetch(PLATFORM_URL + "/api/v1/checkout-sessions", {
      method: "POST",
      headers: { authorization: "Bearer " + PLATFORM_KEY, "content-type": "application/json" },
      body: JSON.stringify({ amount: "5000000", success_url: "http://127.0.0.1:" + PORT + "/" }),
    });
    response.writeHead(303, { location: (await opened.json()).url });
  }
  response.end("<h1>Your order is " + order + ".</h1><form action=/buy method=post><button>Buy</button></form>");
}).listen(Number(PORT), "127.0.0.1");
`;

/**
 * Everything runs together, with the failing test last: starting Playwright and a browser takes time, and a failure
 * makes Playwright start another browser.
 */
test.skipIf(!BROWSER)(
  "Playwright tests share one clock with the sandbox, and a failed one attaches its world and timeline [fidelity: Data › Failed tests]",
  async () => {
    const [fixture, story] = blocksOf(readPage("docs/guide/testing.md").split("## Playwright")[1]!, "ts");
    const shop = fixture!.replace("3100", String(await portOfItsOwn()));
    const project = consumerProject(
      {
        "package.json": '{"type": "module"}',
        "playwright.config.ts": CONFIG,
        "stories.test.ts": STORIES,
        "wrong.test.ts": FAILING,
        ...{ "shop.ts": shop, "shop.test.ts": story!, "server.mjs": SERVER },
      },
      ["@playwright/test"],
    );
    const { output } = await project.node([binOf("@playwright/test/cli.js"), "test"]);
    const { suites, stats } = JSON.parse(readFileSync(join(project.folder, "results.json"), "utf8"));
    expect(stats, output).toMatchObject({ expected: 5, unexpected: 1 });

    const { specs } = suites.find(({ file }: { file: string }) => file === "wrong.test.ts");
    const [{ attachments, errors }] = specs[1].tests[0].results;
    const names = attachments.map(({ name }: { name: string }) => name);
    expect(names.slice(0, 3)).toEqual(["world", "timeline", "picture"]);
    expect(errors[0].message).toMatch(
      /There is no payment link coffe\.\n\nWhat happened is in sandglass-failed\//,
    );
    const html = readFileSync(attachments[1].path, "utf8");
    expect(html).toContain("wrong.test.ts &gt; the error names a link that does not exist failed");
    expect(html).toContain("payment_link.created");
  },
);
