import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreStories } from "../../src/trial/schedules/explore.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { folderOf } from "../support/cli.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { type ShopHandler, subjectOf } from "./handlers.ts";
import { serveShop } from "./server.ts";

/** Explores a shop with shipped stories, in this order. @param budget real milliseconds */
export const exploreShop = (shop: ShopHandler, stories: string[], budget = 60_000) =>
  exploreStories({
    stories: stories.map((name) => STORIES.find((story) => story.name === name)!),
    subject: subjectOf(shop),
    ...{ secret: "whsec_test", seed: "explore", deviations: 1, budget, timeout: 30_000 },
    ...{ ignore: [], settings: resolveConfig({}, 0) },
  });

/** Creates a folder with a scenario whose `run` contains these lines. */
export function folderWith(...lines: string[]): string {
  const folder = folderOf();
  mkdirSync(join(folder, "scenarios"));
  writeFileSync(
    join(folder, "scenarios", "mine.ts"),
    `import { defineScenario } from "sandglass";
     export default defineScenario({
       name: "mine", title: "Mine", seed: "empty",
       async run({ sandbox, step, expect }) {
         const { id } = await sandbox.webhooks.create({ url: sandbox.inbox("shop").url, events: ["payment.completed"] });
         await sandbox.payments.createLink({ name: "Coffee", short_code: "coffee", amount: "18000000" });
         const pay = (order: string) => sandbox.payments.pay("coffee", { client_reference_id: order });
         ${lines.join("\n")}
       },
     });`,
  );
  return folder;
}

/** Explores the scenario in a folder that was created this way. */
export async function exploreMine(folder: string, shop: ShopHandler, ...flags: string[]) {
  const { args } = await serveShop(shop);
  const result = await runWarmCli(["explore", ...args, "--story", "mine", "--deviations", "1", ...flags], {
    cwd: folder,
  });
  return { ...result, args };
}
