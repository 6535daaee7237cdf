import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { blocksOf, readPage, shownIn } from "../support/docs.ts";
import { projectFolder, runShell, startForPage } from "../support/project.ts";

const README = readPage("README.md");

/** Runs `sandglass listen` until the test ends. Resolves once it has registered its endpoint. */
function listen(command: string, url: string): Promise<void> {
  const [, , ...args] = command.split(/ +/);
  const cli = spawn(join(projectFolder(), "node_modules/.bin/sandglass"), args, {
    env: { ...process.env, SANDGLASS_URL: url, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void cli.kill("SIGKILL"));
  let printed = "";
  return new Promise((resolve, reject) => {
    cli.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (/^secret +whsec_/m.test(printed)) resolve();
    });
    cli.once("exit", (code) => reject(new Error(`listen ended with ${code}: ${printed}`)));
  });
}

test("the README's commands show a payment, its failed attempts and the successful retry", async () => {
  // Pause the clock, so that no attempt becomes due between two commands.
  const url = await startForPage("--paused");
  const [start, subscribe, ...rest] = blocksOf(shownIn(README, "webhooks"), "sh")
    .join("")
    .trim()
    .split("\n")
    .map((line) => line.replace(/ +#.*$/, ""));
  expect([start, rest.length]).toEqual(["npx sandglass", 5]);
  await listen(subscribe!, url);
  const printed: string[] = [];
  for (const command of rest) printed.push((await runShell(command, { url })).stdout);
  const [fails, pays, passes, , retries] = printed;
  expect(fails).toMatch(/^fails +503 until: npx sandglass webhooks work last$/m);
  expect(pays).toMatch(/^payment.completed .* failed, status 503 {2}next attempt /m);
  expect(passes!.match(/delivery\.failed .*, attempt [234] /g)).toHaveLength(3);
  expect(passes).toMatch(/delivery\.exhausted .* after 4 attempts$/m);
  expect(retries).toMatch(/payment\.completed.* 200\b/);
});

test("the CI job in the README runs as written", async () => {
  const folder = projectFolder();
  writeFileSync(
    join(folder, "package.json"),
    JSON.stringify({ scripts: { test: "node -e 'console.log(process.env.SANDGLASS_API_KEY)'" } }),
  );
  const script = blocksOf(shownIn(README, "ci"), "sh").join("");
  const { code, stdout, stderr } = await runShell(script, { url: "", folder });
  expect({ code, stderr }).toMatchObject({ code: 0 });
  expect(stdout).toMatch(/^sk_sandbox_write$/m);
  expect(stdout).toMatch(/^1 passed, /m);
});
