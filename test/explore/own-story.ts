import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import type { ShopHandler } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** Creates a folder with a scenario whose `run` contains these lines. */
export function folderWith(...lines: string[]): string {
  const folder = folderOf();
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(
    join(folder, "scenarios", "two-orders.ts"),
    `import { defineScenario } from "sandglass";
     export default defineScenario({
       name: "two-orders",
       title: "Two customers buy the same thing",
       seed: "empty",
       async run({ sandbox, step, expect }) {
         ${lines.join("\n")}
       },
     });`,
  );
  return folder;
}

export const REGISTER =
  'const { id } = await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });';
export const LINK =
  'await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "18000000" });';
export const pay = (order: string) =>
  `await step("Payment of ${order}", () => sandbox.payments.pay("coffee", { client_reference_id: "${order}" }));`;
export const STORY = [REGISTER, LINK, pay("order-1"), 'await sandbox.clock.advance("30s");', pay("order-2")];

export async function explore(folder: string, shop: ShopHandler, story = "two-orders") {
  const { args } = await serveShop(shop);
  const { code, stdout, stderr } = await runWarmCli(
    ["explore", ...args, "--story", story, "--deviations", "1", "--json"],
    { cwd: folder },
  );
  const { stories: [result] = [], saved } = stdout === "" ? {} : JSON.parse(stdout);
  return { code, stderr, result, saved };
}
