import { readdirSync } from "node:fs";
import { expect, it } from "vitest";
import { BUILT_CLI, runBuiltCli } from "../support/built.ts";
import { runChild } from "../support/child.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Chunks that can be loaded only in a thread. */
const ON_A_THREAD = /^thread/;

// Most tests of commands run from source in their own process, so they do not cover the build.
it("every chunk of the build loads on its own", async () => {
  const chunks = new URL("../chunks/", `file://${BUILT_CLI}`);
  const parts = readdirSync(chunks).filter((file) => file.endsWith(".js") && !ON_A_THREAD.test(file));
  expect(parts.length).toBeGreaterThan(50);
  const script = `
    for (const part of ${JSON.stringify(parts)})
      await import(new URL(part, "${chunks}")).catch((error) => console.log(part, error.stack));`;
  const ended = await runChild(process.execPath, ["--input-type=module", "-e", script], {
    cwd: "/",
    env: process.env,
  });
  expect(ended).toMatchObject({ code: 0, output: "" });
});

it("a built command has the same output, errors and exit code as the command run from source", async () => {
  const sandbox = await startSandbox();
  const run = (...args: string[]) => runBuiltCli(args, { env: { SANDGLASS_URL: sandbox.url } });
  const link = await sandbox.createLink();
  const [paid, refused, help] = await Promise.all([
    run("pay", link.id),
    run("advance", "1 fortnight"),
    run("advance", "--help"),
  ]);
  expect(paid).toMatchObject({ code: 0, stderr: "", stdout: expect.stringMatching(/^payment +completed/m) });
  expect(refused).toMatchObject({ code: 2, stdout: "", stderr: expect.stringMatching(/is not a duration/) });
  expect(help).toMatchObject({
    code: 0,
    stderr: "",
    stdout: expect.stringMatching(/^Usage: sandglass advance/),
  });
});
