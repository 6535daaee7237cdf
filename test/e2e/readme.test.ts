import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { blocksOf, consoleOf, readPage, shownIn } from "../support/docs.ts";
import { projectFolder, runShell, startForPage } from "../support/project.ts";

const README = readPage("README.md");
const LISTEN = "npx sandglass listen";

/** The commands of a part of the README, with what it says they print. */
const commandsOf = (name: string) => consoleOf(shownIn(README, name));

/** What is printed without what differs from run to run: ids, secrets, seconds, durations, and so the columns' widths. */
const comparable = (text: string, url: string): string[] =>
  text
    .replaceAll(url, "http://127.0.0.1:4400")
    .replace(/\b(wh|txn|cs|whsec)_\S*?(?=,|$)/gm, "$1_…")
    .replace(/(\d\d:\d\d):\d\d(\.\d{3})?/g, "$1")
    .replace(/\b\d+ ms\b/g, "… ms")
    .replace(/ +/g, " ")
    .trim()
    .split("\n");

/** Runs `sandglass listen` until the test ends. Resolves with its first lines. */
function listen(command: string, lines: number, url: string): Promise<string> {
  const [, , ...args] = command.split(" ");
  const cli = spawn(join(projectFolder(), "node_modules/.bin/sandglass"), args, {
    env: { ...process.env, SANDGLASS_URL: url, NO_COLOR: "1" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void cli.kill("SIGKILL"));
  let printed = "";
  return new Promise((resolve, reject) => {
    cli.stdout.setEncoding("utf8").on("data", (text: string) => {
      printed += text;
      if (printed.split("\n").length > lines) resolve(printed);
    });
    cli.once("exit", (code) => reject(new Error(`listen ended with ${code}: ${printed}`)));
  });
}

test("the commands of the README print what it says", async () => {
  // A paused clock, so that the minutes are those of the README on a slow machine, too.
  const url = await startForPage("--paused");
  const commands = commandsOf("webhooks");
  expect(commands).toHaveLength(4);
  const endpoints = commands.flatMap(({ printed }) => printed.match(/\bwh_\w+/g) ?? []);
  expect(new Set(endpoints).size).toBe(1);
  for (const { command, printed } of commands) {
    const expected = comparable(printed, url);
    const stdout = command.startsWith(LISTEN)
      ? await listen(command, expected.length, url)
      : (await runShell(command, { url })).stdout;
    expect(comparable(stdout, url)).toEqual(expected);
  }
});

test("the job in the README runs as it stands", async () => {
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
