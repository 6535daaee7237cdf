import { readFileSync } from "node:fs";
import { resolveConfig } from "../../config/config.ts";
import { readSignedEvent } from "../../payments/webhooks/read-webhook.ts";
import { inPackage } from "../../runtime/package.ts";
import { wallNow } from "../../world/clock.ts";
import { MINUTE, SECOND } from "../../world/duration.ts";
import type { Verdict } from "../findings/verdict.ts";
import type { Survey } from "../schedules/exploration.ts";
import { exploreStories } from "../schedules/explore.ts";
import { remoteSubject } from "../subject/remote.ts";
import type { Json } from "../subject/state.ts";
import { FUNCTION_URL, type Handler } from "../subject/subscriber.ts";
import { findStories } from "./stories.ts";

/** The demo's shop, written like a user's own code. */
const SHOP = inPackage("fixtures/demo/shop.mjs");
const STORY = "late-payment";
const SECRET = "whsec_demo";

/** The line of the shop with the bug, and the line that fixes it. */
const LINES = {
  faulty: 'orders[id] = { ...orders[id], status: "cancelled" };',
  fixed: 'if (orders[id]?.status !== "paid") orders[id] = { ...orders[id], status: "cancelled" };',
};

interface Shop {
  webhook: Handler;
  state: () => Json;
  reset: () => void;
}

export interface DemoShop {
  file: string;
  /** How this version differs from the other one, and the effect of the fix. */
  about: string;
  fix: string;
  /** The code, and the line in which the versions differ. */
  code: string;
  line: string;
  expected: Verdict;
  explore: (signal: AbortSignal) => Promise<Survey>;
}

export type DemoVersion = "faulty" | "fixed";

/** Loads the shop of `explore --demo`, with its bug or with the fix. */
export async function openDemoShop(version: DemoVersion): Promise<DemoShop> {
  const line = LINES[version];
  const code = readFileSync(SHOP, "utf8").replace(LINES.faulty, line);
  const { createShop }: { createShop: (read: typeof readSignedEvent, secret: string) => Shop } = await import(
    `data:text/javascript,${encodeURIComponent(code)}`
  );
  const shop = createShop(readSignedEvent, SECRET);
  const timeout = 30 * SECOND;
  const subject = remoteSubject({
    ...{ url: FUNCTION_URL, handler: shop.webhook, timeout },
    ...{ stateUrl: async () => structuredClone(shop.state()), resetBy: shop.reset },
  });
  return {
    ...{ file: SHOP, code, line, expected: version === "faulty" ? "found" : "nothing_found" },
    about: "A shop's webhook handler with a bug",
    fix: "an expiry only cancels unpaid orders",
    async explore(signal) {
      const settings = resolveConfig({}, wallNow());
      const stories = await findStories(STORY, settings, process.cwd());
      return exploreStories({
        ...{ stories, subject, settings, signal, secret: SECRET, seed: "demo", ignore: [] },
        ...{ deviations: 2, budget: MINUTE, timeout },
      });
    },
  };
}
