import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { apply, correctShop, makeShop, type ShopHandler } from "./handlers.ts";
import { serveShop } from "./server.ts";
import { exploreMine, exploreShop, folderWith } from "./trust.ts";

describe("the evidence that explore requires", () => {
  const _WITH_A_PAUSE = [
    'await pay("order-1");',
    "await sandbox.webhooks.disable(id);",
    'await pay("order-2");',
    "await sandbox.webhooks.enable(id);",
    'await pay("order-3");',
  ];

  it("explore exits 3 in every report if the budget ends within the first level", async () => {
    const folder = folderOf();
    // The budget is longer than the calm run, but too short for one deviation at each attempt.
    const slow = makeShop(async (event, shop, seen) => {
      await new Promise((resolve) => setTimeout(resolve, 60));
      if (event.isTest || seen.has(event.key)) return undefined;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    });
    const { args } = await serveShop(slow);
    const reports = ["--junit", "out.xml", "--html", "out.html"];
    const { code, stdout } = await runWarmCli(
      ["explore", ...args, "--story", "refused-then-paid", "--budget", "4s", ...reports],
      { cwd: folder },
    );
    expect(code).toBe(3);
    expect(stdout).toMatch(
      /\nInconclusive: The budget ran out after [\d.]+ s, before all schedules with 1 deviation were/,
    );
    expect(readFileSync(join(folder, "out.xml"), "utf8")).toContain('type="inconclusive"');
    expect(readFileSync(join(folder, "out.html"), "utf8")).toMatch(/Cannot tell whether .*failed/s);
  });
});

describe("explore without a story", () => {
  it("explore reserves a share of the budget for each story, no matter how slow the first one is", async () => {
    const shop = makeShop(async (event, shop) => {
      if (event.type === "checkout.completed") await new Promise((resolve) => setTimeout(resolve, 400));
      else if (event.type === "checkout.expired")
        shop.orders[event.order] = { payments: 0, status: "cancelled" };
      else if (!event.isTest) shop.orders[event.order] = { payments: 1, status: "paid" };
      return undefined;
    });
    const { explorations } = await exploreShop(shop, ["checkout", "late-payment"], 8_000);
    expect(explorations.map(({ finding }) => finding?.run.schedule)).toEqual([
      undefined,
      [{ at: 0, kind: "lost" }],
    ]);
  });
});

describe("a finding in your own story", () => {
  const STORY = [
    'await step("One pays", () => pay("order-1"));',
    'await sandbox.clock.advance("30s");',
    'await pay("order-2");',
  ];
  /** Whether a saved finding passes when it is replayed against a shop. */
  const passes = async (folder: string, path: string, shop: ShopHandler): Promise<boolean> => {
    const { args } = await serveShop(shop);
    const { code, stdout, stderr } = await runWarmCli(["run", path, "--subscriber", ...args], {
      cwd: folder,
    });
    if (code === null || code > 1) throw new Error(stdout + stderr);
    return code === 0;
  };

  // findings.test.ts covers every deviation in the shipped stories.
  it("a finding that includes an outage fails with the bug, and passes without it", async () => {
    const outdated = makeShop((event, shop, seen) => {
      if (event.isTest || seen.has(event.key)) return undefined;
      if (event.sentAt - event.at > 300_000) return 400;
      seen.add(event.key);
      apply(event, shop);
      return undefined;
    });
    const folder = folderWith(
      ...STORY,
      "expect((await sandbox.webhooks.timeline(id)).attempts).toHaveLength(2);",
    );
    const { code, stdout, stderr } = await exploreMine(folder, outdated, "--json");
    expect({ code, stderr }).toEqual({ code: 1, stderr: "" });
    const { saved } = JSON.parse(stdout);
    expect(await passes(folder, saved, outdated)).toBe(false);
    expect(await passes(folder, saved, correctShop())).toBe(true);
  });
});
