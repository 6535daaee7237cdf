import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/trial/schedules/explore.ts";
import { STORIES } from "../../src/trial/stories/stories.ts";
import { remoteSubject } from "../../src/trial/subject/remote.ts";
import { hasPython, SECRET } from "../check/support/start.ts";

const NAMES = ["node-http.mjs", "express.mjs", "fastify.mjs", ...(hasPython ? ["shop.py"] : [])];
const TIMEOUT = 30_000;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts a shop from `receivers/`. */
function start(name: string): Promise<string> {
  const file = fileURLToPath(new URL(`receivers/${name}`, import.meta.url));
  const child = spawn(name.endsWith(".py") ? "python3" : process.execPath, [file], {
    env: { ...process.env, SANDGLASS_WEBHOOK_SECRET: SECRET, PORT: "0" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  children.push(child);
  return new Promise((resolve, reject) => {
    child.stdout!.once("data", (text: Buffer) => resolve(/http:\S+/.exec(text.toString())![0]));
    child.once("exit", (code) => reject(new Error(`${name} ended with ${code}`)));
  });
}

// Run these at the same time: each spends most of its time waiting for slow schedules.
describe.concurrent("a correct shop", () => {
  it.each(NAMES)("explore finds nothing wrong in the example shop implemented in %s", async (name) => {
    const url = await start(name);
    const stories = STORIES.filter(({ isBackground }) => !isBackground);
    for (const story of name === NAMES[0] ? stories : stories.slice(0, 1)) {
      const subject = {
        ...remoteSubject({
          url,
          stateUrl: new URL("/state", url).href,
          resetBy: new URL("/reset", url).href,
          timeout: TIMEOUT,
        }),
        // These shops have finished all their work when they respond.
        quiet: 1,
      };
      const { finding, flaky, stopped, levels } = await exploreSubscriber({
        ...{ subject, story, secret: SECRET, deviations: 1, budget: 120_000, timeout: TIMEOUT },
        ...{ ignore: [], seed: name, settings: resolveConfig({}, 0) },
      });
      subject.close();
      const about = `${name}, ${story.name}`;
      expect({ finding, flaky, stopped }, about).toEqual({ finding: null, flaky: null, stopped: null });
      expect(
        levels.filter(({ schedules, tried }) => schedules === tried),
        about,
      ).toHaveLength(1);
    }
  });
});
