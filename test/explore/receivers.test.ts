import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { resolveConfig } from "../../src/config/config.ts";
import { exploreSubscriber } from "../../src/explore/explore.ts";
import { remoteSubject } from "../../src/explore/remote.ts";
import { STORIES } from "../../src/explore/stories.ts";
import { hasPython, SECRET } from "../check/support/start.ts";

const NAMES = ["node-http.mjs", "express.mjs", "fastify.mjs", ...(hasPython ? ["shop.py"] : [])];
const TIMEOUT = 30_000;

const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
});

/** Starts a shop of `receivers/` for all tests of this file. */
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

describe.each(NAMES)("a shop that is right, at %s", (name) => {
  const started = start(name);

  it.each(STORIES.filter(({ isBackground }) => !isBackground))(
    "passes every schedule of $name",
    { timeout: 120_000 },
    async (story) => {
      const url = await started;
      const subject = remoteSubject({
        url,
        stateUrl: new URL("/state", url).href,
        resetBy: new URL("/reset", url).href,
        timeout: TIMEOUT,
      });
      const { finding, flaky, stopped, levels } = await exploreSubscriber({
        ...{ subject, story, secret: SECRET, deviations: 2, budget: 120_000, timeout: TIMEOUT },
        ...{ ignore: [], seed: name, settings: resolveConfig({}, 0) },
      });
      subject.close();
      expect({ finding, flaky, stopped }).toEqual({ finding: null, flaky: null, stopped: null });
      expect(levels.map(({ schedules, tried }) => schedules === tried)).toEqual([true, true]);
    },
  );
});
