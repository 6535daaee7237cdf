import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { BUILT_CLI, startBuilt } from "../support/built.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The lines between the story marks, as a reader would paste them. */
function storyLines(): string {
  const story = /<!-- story -->(.*)<!-- \/story -->/s.exec(
    readFileSync(join(ROOT, "README.md"), "utf8"),
  )![1]!;
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

test("the README's story runs as it stands", { timeout: 60_000 }, async () => {
  const folder = projectFolder();
  const url = await startBuilt(["--port", "0"]);
  const port = await freePort();
  const script = storyLines().replaceAll(/\b3000\b/g, String(port));
  const { stdout, stderr, code } = await new Promise<{ stdout: string; stderr: string; code: number }>(
    (resolve) => {
      const env = { ...process.env, SANDGLASS_URL: url, NO_COLOR: "1" };
      execFile("bash", ["-euo", "pipefail", "-c", script], { cwd: folder, env }, (error, out, err) =>
        resolve({ stdout: out, stderr: err, code: error ? Number(error.code) : 0 }),
      );
    },
  );
  expect({ code, stderr }).toMatchObject({ code: 0 });
  const attempts = stdout.match(/payment\.completed -> 500/g);
  expect(attempts).toHaveLength(10);
  expect(stdout).toContain("webhook.disabled");
  expect(stdout).toContain("10 deliveries in a row failed");
  expect(stdout).toMatch(/^enabled$/m);
  expect(stdout).toMatch(/^success$/m);
  expect(stdout).toMatch(/payment\.completed {2}503/);
});
