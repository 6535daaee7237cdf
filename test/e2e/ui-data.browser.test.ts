import { describe, expect, test } from "vitest";
import { expectFit } from "../support/axe.ts";
import { BROWSER } from "../support/browser.ts";
import { startSandbox } from "../support/sandbox.ts";
import { openUi } from "../support/ui.ts";

const WALLET = "0xcb110a2b20b969f9870b5373faeb05ce2ee0a225";
const KEY = `holdings?address=${WALLET}&chain_id=1`;

describe.skipIf(!BROWSER)("chain data in the page", () => {
  test("a symbol is looked up, and comes from the cache the second time", async () => {
    const sandbox = await startSandbox();
    const { page, button, fill, heading, problems } = await openUi(sandbox.url, "#/data");
    await page.getByText("Nothing was looked up yet.").waitFor();
    await button("Look up").click();
    await page.getByText("Name a symbol, for example USDC.").waitFor();
    await fill("Symbols", "USDC, WETH");
    await page.getByRole("checkbox", { name: "Ethereum" }).check();
    await page.getByRole("checkbox", { name: "Base" }).check();
    await button("Look up").click();
    await heading("Where it came from").waitFor();
    expect(page.url()).toContain("#/data/lookup?symbol=USDC%2CWETH&chain_id=1%2C8453");
    const rows = page.getByRole("region", { name: "Tokens" }).locator("tbody tr");
    await expect.poll(() => rows.count()).toBe(4);
    await page.getByText("Nothing was cached, so the providers were asked: indexer answered.").waitFor();
    await expect.poll(() => page.locator(".step-taken").count()).toBe(3);

    await button("Look up").click();
    await page.getByText("From the cache: indexer answered just now.").waitFor();
    await page.locator("summary", { hasText: "Headers of the answer" }).click();
    await page.getByRole("rowheader", { name: "Cache-Status" }).waitFor();
    await sandbox.advance("2d");
    await button("Look up").click();
    await page.getByText(/The cached answer had expired/).waitFor();
    expect(problems).toEqual([]);
  });

  test("a provider is taken down in place, and the path shows who answered instead", async () => {
    const sandbox = await startSandbox();
    const { page, go, button, problems } = await openUi(sandbox.url, "#/data/providers");
    await page.getByLabel("State of explorer-1", { exact: true }).selectOption("down");
    await page.getByText("explorer-1 refuses connections.").waitFor();
    await page.getByRole("link", { name: "Providers 1 not up" }).waitFor();
    await page.getByLabel("State of explorer-10", { exact: true }).selectOption("error");
    await page.getByLabel("Status of explorer-10").fill("502");
    await page.getByLabel("Status of explorer-10").press("Enter");
    await page.getByText("explorer-10 answers 502.").waitFor();
    await page.getByTestId("undo").click();
    await page.getByRole("listitem", { name: "explorer-10" }).getByText("answers 503").waitFor();

    await go(`#/data/holdings/${WALLET}?chain_id=1`);
    const steps = page.locator(".step-taken");
    await expect
      .poll(() => steps.first().textContent())
      .toContain("refused the connection, so indexer is next");
    await page.getByText(/indexer answered/).waitFor();
    const rows = page.locator(".table-box tbody tr");
    await button("Read the next page").click();
    await expect.poll(() => page.getByText(/rows in 2 pages/).count()).toBe(1);
    expect(await rows.count()).toBe(100);
    await page.getByRole("radio", { name: "ERC-721" }).check();
    await expect.poll(() => page.url()).toContain("type=ERC-721");
    await expect.poll(() => rows.first().textContent()).toContain("ERC-721");

    await go(`#/data/cache/${encodeURIComponent(KEY)}`);
    await page.getByRole("heading", { name: "The path of the request" }).waitFor();
    await expect.poll(() => steps.first().textContent()).toContain("explorer-1 refused the connection");
    await page.getByRole("article").getByRole("button", { name: "Forget" }).click();
    await page.getByText("This answer is no longer cached.").waitFor();
    await button("Forget all").click();
    await page.getByText("Nothing is cached.").waitFor();
    expect(problems).toEqual([]);
  });

  test("with everybody down, there is what had expired, and otherwise a sentence", async () => {
    const sandbox = await startSandbox();
    const { page, go, button } = await openUi(sandbox.url, "#/data/lookup?symbol=USDC");
    await page.getByText(/Nothing was cached/).waitFor();
    await sandbox.advance("25h");
    await go("#/data/providers");
    await button("All down").click();
    await page.getByText("13 providers down.").waitFor();
    await go("#/data/lookup?symbol=USDC");
    await page.getByText(/No provider answers, so this is the expired answer of indexer/).waitFor();
    await go("#/data/lookup?symbol=DAI");
    await page.getByText(/No provider could answer, and nothing is cached: indexer/).waitFor();
    await go("#/data/providers");
    await button("All up").click();
    await page.getByText("13 providers up.").waitFor();
  });
});

describe.skipIf(!BROWSER)("snapshots in the page", () => {
  test("a world is saved, changed, restored, and the restore undone", async () => {
    const sandbox = await startSandbox();
    const { page, go, button, fill, problems } = await openUi(sandbox.url, "#/snapshots");
    await page.getByText("No snapshots yet.").waitFor();
    await fill("Name of the snapshot", "no spaces");
    await page.getByText(/1 to 64 letters, digits/).waitFor();
    await fill("Name of the snapshot", "fresh");
    await button("Save this world").click();
    await page.getByText("The world is saved as fresh.").waitFor();

    await sandbox.createLink({ name: "Tea" });
    await sandbox.advance("1d");
    await button("Restore fresh").click();
    await page.getByText(/You can undo this/).waitFor();
    await button("Restore").click();
    await page.getByText(/The world was restored to fresh/).waitFor();
    await go("#/activity/journal");
    await expect.poll(() => page.locator(".entry-row").count()).toBe(1);
    await go("#/payments/links");
    expect(await page.getByRole("link", { name: "Tea", exact: true }).count()).toBe(0);
    await page.getByTestId("undo").click();
    await page.getByRole("link", { name: "Tea", exact: true }).waitFor();
    await go("#/activity/journal");
    await expect.poll(() => page.locator(".entry-row", { hasText: "payment_link.created" }).count()).toBe(1);
    await sandbox.createLink({ name: "Coffee" });
    await expect.poll(() => page.locator(".entry-row", { hasText: "payment_link.created" }).count()).toBe(2);
    expect(problems).toEqual([]);
  });

  test("a snapshot is downloaded, deleted, brought back, uploaded", async () => {
    const sandbox = await startSandbox();
    await sandbox.control("POST", "/snapshots", { name: "mine" });
    const { page, button, problems } = await openUi(sandbox.url, "#/snapshots");
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: "Download mine" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("mine.sandglass");
    await button("Delete mine").click();
    await page.getByText("No snapshots yet.").waitFor();
    await page.getByTestId("undo").click();
    await button("Restore mine").waitFor();
    const content = Buffer.from(await (await fetch(download.url())).arrayBuffer());
    const file = { mimeType: "application/octet-stream", buffer: content };
    await page.getByLabel("From a file").setInputFiles({ name: "from afar (2).sandglass", ...file });
    await button("Restore from-afar-2-").waitFor();
    expect(problems).toEqual([]);
    const cut = { ...file, name: "cut.sandglass", buffer: content.subarray(0, 5_000) };
    await page.getByLabel("From a file").setInputFiles(cut);
    await page.getByRole("alert").waitFor();
  });

  test("a world begins where a scenario ends, and a name of nothing says what is near", async () => {
    const sandbox = await startSandbox();
    const { page, button, fill } = await openUi(sandbox.url, "#/snapshots/worlds");
    await button("New world…").click();
    await fill("Name of the world", "later");
    await fill("Begins with", "retry-and-recovr");
    await button("Create world").click();
    await page.getByText(/Did you mean retry-and-recover\?/).waitFor();
    await fill("Begins with", "retry-and-recover");
    await button("Create world").click();
    await button("Stay here").click();
    await page.getByRole("listitem", { name: "later" }).waitFor();
    const { body } = await sandbox.call("GET", "/w/later/_sandbox/events?types=delivery.*");
    expect(body.data.length).toBeGreaterThan(1);
  });

  test("a world is made, forked, looked at and ended", async () => {
    const sandbox = await startSandbox();
    await sandbox.createLink({ name: "Tea" });
    const { page, go, button, fill, problems } = await openUi(sandbox.url, "#/snapshots/worlds");
    await page.getByText("This is the only world.").waitFor();
    await button("New world…").click();
    await fill("Name of the world", "later");
    await fill("Starts at", "2027-03-01T12:00:00Z");
    await button("Create world").click();
    await button("Stay here").click();
    await page.getByRole("listitem", { name: "later" }).getByText("2027-03-01 12:00:00").waitFor();
    await button("Fork default").click();
    await fill("Name of the world", "other");
    await button("Fork").click();
    await page.getByRole("link", { name: "Open its page" }).click();
    await page.waitForURL(/\/w\/other\//);
    await go("#/payments/links");
    await page.getByRole("link", { name: "Tea", exact: true }).waitFor();
    await go("#/data/lookup?symbol=USDC");
    await page.getByText(/indexer answered/).waitFor();
    await go("#/snapshots/worlds");
    await button("End later").click();
    await button("End it").click();
    await page
      .getByText("The world later has ended. Its last state is the snapshot last-of-later.")
      .waitFor();
    await page.getByTestId("undo").click();
    await page.getByRole("link", { name: "later" }).waitFor();
    await page.getByRole("link", { name: "default", exact: true }).click();
    await page.waitForURL((url) => url.pathname === "/");
    expect(problems).toEqual([]);
  });
});

describe.skipIf(!BROWSER)("each part of chain data, and snapshots", () => {
  test("is accessible and keeps to its width, in both themes and presenting", async () => {
    const sandbox = await startSandbox();
    await sandbox.control("PUT", "/data/providers/explorer-1", { state: "down" });
    await sandbox.control("PUT", "/data/providers/explorer-10", { state: "error", status: 502 });
    await sandbox.call("GET", `/data/explorer/addresses/${WALLET}/tokens?chain_id=1`);
    await sandbox.advance("26h");
    await sandbox.control("POST", "/snapshots", { name: "before-the-outage" });
    await sandbox.control("POST", "/snapshots", {});
    await sandbox.makeWorld({ name: "checkout-tests", seed: "empty" });
    const opened = await openUi(sandbox.url);
    const { go, problems } = opened;
    for (const [view, hash] of [
      ["data", "#/data"],
      ["data-lookup", "#/data/lookup?symbol=USDC,WETH"],
      ["data-addresses", "#/data/holdings"],
      ["data-holdings", `#/data/holdings/${WALLET}?chain_id=1`],
      ["data-cache", "#/data/cache"],
      ["data-entry", `#/data/cache/${encodeURIComponent(KEY)}`],
      ["data-providers", "#/data/providers"],
      ["snapshots", "#/snapshots"],
      ["worlds", "#/snapshots/worlds"],
    ] as const) {
      await go(hash);
      await expectFit(opened, view);
    }
    expect(problems).toEqual([]);
  });
});
