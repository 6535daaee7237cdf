import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { BUILT_CLI } from "../support/built.ts";

/** Node's own word for its version, replaced before anything else is loaded. */
const pretend = (version: string) =>
  `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, node: "${version}" } })`;

function runOn(version: string, args: string[]) {
  const options = { cwd: tmpdir(), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pretend(version), ...args],
    options,
  );
  return { status, stdout, stderr };
}

const MESSAGE = (version: string) =>
  `This is Node ${version}, and Sandglass needs 22.20 or later. This works at once: npx -p node@24 -p sandglass sandglass`;

test.each(["20.20.2", "22.19.1"])("on Node %s the command says so in one line", (version) => {
  expect(runOn(version, [BUILT_CLI, "start"])).toEqual({
    status: 2,
    stdout: "",
    stderr: `sandglass: ${MESSAGE(version)}\n`,
  });
});

test.each(["22.20.0", "24.0.0"])("on Node %s the command runs", (version) => {
  expect(runOn(version, [BUILT_CLI, "--version"])).toMatchObject({ status: 0, stderr: "" });
});

test.each(["index", "client", "vitest"])("on an older Node importing dist/%s.js throws an Error", (entry) => {
  const file = pathToFileURL(fileURLToPath(new URL(`../../dist/${entry}.js`, import.meta.url))).href;
  const code = `await import("${file}").catch((error) => console.log(error.name + ": " + error.message))`;
  expect(runOn("20.20.2", ["--input-type=module", "--eval", code])).toEqual({
    status: 0,
    stdout: `Error: ${MESSAGE("20.20.2")}\n`,
    stderr: "",
  });
});
