import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import type { ShopHandler } from "./handlers.ts";
import { type Overrides, serveShop } from "./server.ts";
export const QUIET_MS = 100;

export async function explore(shop: ShopHandler, overrides?: Overrides, timeout = 1_000, idleUrl?: string) {
  const { url, origin, counts } = await serveShop(shop, overrides);
  const remote = { url, stateUrl: `${origin}/state`, resetBy: `${origin}/reset`, timeout, idleUrl };
  const subject = { ...remoteSubject(remote), ...(idleUrl === undefined && { quiet: QUIET_MS }) };
  const story = STORIES.find(({ name }) => name === "checkout")!;
  try {
    const exploration = await exploreSubscriber({
      ...{ subject, story, timeout, secret: "whsec_test", deviations: 1, budget: 60_000 },
      ...{ ignore: [], seed: "late", settings: resolveConfig({}, 0) },
    });
    return { ...exploration, resets: counts.reset };
  } finally {
    subject.close();
  }
}
