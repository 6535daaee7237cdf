import { spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { fileURLToPath, pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { BUILT_CLI } from "../support/built.ts";

/** What runs the process, replaced before anything else is loaded. */
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
  `This is ${version}, and Sandglass needs Node 22.20 or later. This works at once: npx -p node@24 -p sandglass sandglass`;

test.each(["20.20.2", "22.19.1"])("on Node %s the command says so in one line", (version) => {
  expect(runOn(version, [BUILT_CLI, "start"])).toEqual({
    status: 2,
    stdout: "",
    stderr: `sandglass: ${MESSAGE(`Node ${version}`)}\n`,
  });
});

test.each(["22.20.0", "24.0.0"])("on Node %s the command runs", (version) => {
  expect(runOn(version, [BUILT_CLI, "--version"])).toMatchObject({ status: 0, stderr: "" });
});

test.each(["index", "client", "vitest"])("on an older Node importing dist/%s.js throws an Error", (entry) => {
  const code = `await import("${addressOf(entry)}").catch((error) => console.log(error.name + ": " + error.message))`;
  expect(runOn("20.20.2", ["--input-type=module", "--eval", code])).toEqual({
    status: 0,
    stdout: `Error: ${MESSAGE("Node 20.20.2")}\n`,
    stderr: "",
  });
});

describe.each([
  ["Bun 1.4.5", { bun: "1.4.5", node: "26.3.0" }],
  ["Deno 2.9.6", { deno: "2.9.6", node: "26.3.0" }],
])("on %s", (name, versions) => {
  test("the command says in one line that it needs Node", () => {
    expect(runOn(versions, [BUILT_CLI, "start"])).toEqual({
      status: 2,
      stdout: "",
      stderr: `sandglass: ${MESSAGE(name)}\n`,
    });
  });

  test.each(["index", "vitest"])("importing dist/%s.js throws an Error", (file) => {
    const code = `await import("${addressOf(file)}").catch((error) => console.log(error.message))`;
    expect(runOn(versions, ["--input-type=module", "--eval", code])).toEqual({
      status: 0,
      stdout: `${MESSAGE(name)}\n`,
      stderr: "",
    });
  });

  test("the client can be imported", () => {
    const code = `console.log(typeof (await import("${addressOf("client")}")).connect)`;
    expect(runOn(versions, ["--input-type=module", "--eval", code])).toEqual({
      status: 0,
      stdout: "function\n",
      stderr: "",
    });
  });
});
