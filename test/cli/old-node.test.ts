import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { BUILT_CLI } from "../support/built.ts";

/** Pretends that the process runs on other versions, before anything else is loaded. */
const pretend = (versions: object) =>
  `data:text/javascript,Object.defineProperty(process, "versions", { value: { ...process.versions, ...${JSON.stringify(versions)} } })`;

const addressOf = (entry: string) =>
  pathToFileURL(fileURLToPath(new URL(`../../dist/${entry}.js`, import.meta.url))).href;

function runOn(version: string | object, args: string[]) {
  const options = { cwd: tmpdir(), encoding: "utf8" } as const;
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ["--import", pretend(typeof version === "string" ? { node: version } : version), ...args],
    options,
  );
  return { status, stdout, stderr };
}

const MESSAGE = (version: string) =>
  `This is ${version}, but Sandglass needs Node 22.20 or later. To run it right away: npx -p node@24 -p sandglass sandglass`;

/** Imports entries of the package one after another, and returns the outcome of each import. */
function importOn(version: string | object, entries: string[]): string[] {
  const addresses = JSON.stringify(entries.map(addressOf));
  const code = `for (const entry of ${addresses})
    console.log(await import(entry).then(({ connect }) => typeof connect, ({ name, message }) => name + ": " + message));`;
  const { status, stdout, stderr } = runOn(version, ["--input-type=module", "--eval", code]);
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
  return stdout.trimEnd().split("\n");
}

test.each([
  ["Node 20.20.2", { node: "20.20.2" }],
  ["Node 22.19.1", { node: "22.19.1" }],
  ["Bun 1.4.5", { bun: "1.4.5", node: "26.3.0" }],
  ["Deno 2.9.6", { deno: "2.9.6", node: "26.3.0" }],
])(
  "the command prints one line that names the required Node version when it runs on %s",
  (name, versions) => {
    expect(runOn(versions, [BUILT_CLI, "start"])).toEqual({
      ...{ status: 2, stdout: "" },
      stderr: `sandglass: ${MESSAGE(name)}\n`,
    });
  },
);

test("the command runs on Node 22.20.0", () => {
  expect(runOn("22.20.0", [BUILT_CLI, "--version"])).toMatchObject({ status: 0, stderr: "" });
});

test("importing the package on an older Node throws an Error", () => {
  const error = `Error: ${MESSAGE("Node 20.20.2")}`;
  expect(importOn("20.20.2", ["index", "client", "vitest"])).toEqual([error, error, error]);
});

test.each([
  ["Bun 1.4.5", { bun: "1.4.5", node: "26.3.0" }],
  ["Deno 2.9.6", { deno: "2.9.6", node: "26.3.0" }],
])("only the client can be imported on %s", (name, versions) => {
  const error = `Error: ${MESSAGE(name)}`;
  expect(importOn(versions, ["index", "vitest", "client"])).toEqual([error, error, "function"]);
});
