import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_CLI, startBuilt } from "../support/built.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The lines of a story between its marks, as a reader would paste them. */
function storyLines(name: string): string {
  const readme = readFileSync(join(ROOT, "README.md"), "utf8");
  const story = readme.split(`<!-- story: ${name} -->`)[1]!.split("<!-- /story -->")[0]!;
  return [...story.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block).join("\n");
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A folder in which `npx sandglass` is the built command line. */
function projectFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "sandglass-readme-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(join(folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(BUILT_CLI, join(folder, "node_modules/.bin/sandglass"));
  return folder;
}

/** Runs a story as it stands, against a sandbox as `npm start` starts it. */
async function runStory(name: string): Promise<string> {
  const folder = projectFolder();
  const url = await startBuilt(["--port", "0"]);
  const port = await freePort();
  const script = storyLines(name).replaceAll(/\b3000\b/g, String(port));
  const { stdout, stderr, code } = await new Promise<{ stdout: string; stderr: string; code: number }>(
    (resolve) => {
      const env = { ...process.env, SANDGLASS_URL: url, NO_COLOR: "1" };
      execFile("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env }, (error, out, err) =>
        resolve({ stdout: out, stderr: err, code: error ? Number(error.code) : 0 }),
      );
    },
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout;
}

test("the story of a webhook that fails runs as it stands", { timeout: 60_000 }, async () => {
  const told = await runStory("payments");
  expect(told.match(/payment\.completed -> 500/g)).toHaveLength(10);
  expect(told).toContain("webhook.disabled");
  expect(told).toContain("10 deliveries in a row failed");
  expect(told).toMatch(/^enabled$/m);
  expect(told).toMatch(/^success$/m);
  expect(told).toMatch(/payment\.completed {2}503/);
});

test("the story of chain data runs as it stands", { timeout: 60_000 }, async () => {
  const told = await runStory("chain data");
  const states = told.match(/^x-cache: \w+/gim)!.map((line) => line.split(" ")[1]);
  expect(states).toEqual(["HIT", "EXPIRED", "MISS", "STALE"]);
  expect(told).toMatch(/^8453 {2}USDC {2}0x833589fcd6edb6e08f4c7c32d4f71b54bda02913$/m);
  expect(told).toMatch(/^explorer-1 {2}connection_refused$/m);
  expect(told).toMatch(/^50 more, then 100 in all$/m);
});

test("the story of a game runs as it stands", { timeout: 60_000 }, async () => {
  const told = await runStory("game");
  expect(told).toMatch(/^bafkrei\w+$/m);
  expect(told).toMatch(/^\S+ {2}990000$/m);
  expect(told).toMatch(/^rule\.fired {2}support the roastery/m);
  expect(told).toMatch(/^rule\.skipped {2}boss reward {2}value must be at least 100, not 7$/m);
  expect(told).toMatch(/expired/);
});

test("the job in the README runs as it stands", { timeout: 60_000 }, async () => {
  const told = await runStory("ci");
  expect(told).toMatch(/^2 passed, /m);
  expect(told).toMatch(/^200 \d+ payment links$/m);
});

test("the test in the README passes as it stands", { timeout: 60_000 }, async () => {
  const folder = projectFolder();
  for (const name of ["vitest", "sandglass"])
    symlinkSync(
      name === "sandglass" ? ROOT : join(ROOT, "node_modules", name),
      join(folder, "node_modules", name),
    );
  const [, block] = /<!-- vitest -->\s*```ts\n(.*?)```/s.exec(readFileSync(join(ROOT, "README.md"), "utf8"))!;
  writeFileSync(join(folder, "readme.test.ts"), block!);
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { VITEST: _vitest, NODE_OPTIONS: _options, ...env } = process.env;
  const output = await new Promise<string>((resolve) =>
    execFile(process.execPath, [vitest, "run", "--root", folder], { cwd: folder, env }, (_error, out, err) =>
      resolve(out + err),
    ),
  );
  expect(output).toMatch(/Tests.*1 passed/);
});
