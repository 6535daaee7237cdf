import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { folderOf } from "../support/cli.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

/** The packages and Node modules that a file of the build loads by itself, and those it reaches. */
function loadedBy(file: string): Set<string> {
  const seen = new Set<string>();
  const outside = new Set<string>();
  (function walk(path: string) {
    if (seen.has(path)) return;
    seen.add(path);
    const imports = readFileSync(path, "utf8").matchAll(/^(?:import|export)[^;"']*?["']([^"']+)["']/gm);
    for (const [, target] of imports)
      if (target!.startsWith(".")) walk(resolve(dirname(path), target!));
      else outside.add(target!);
  })(join(ROOT, file));
  return outside;
}

test("what tests elsewhere and configurations load has nothing native in it, and no server", () => {
  for (const file of ["dist/client.js", "dist/index.js"])
    for (const heavy of ["better-sqlite3", "fastify", "ws", "nock"])
      expect({ file, heavy, loaded: loadedBy(file).has(heavy) }).toEqual({ file, heavy, loaded: false });
});

const NODE_TEST = `
import test from "node:test";
import assert from "node:assert/strict";
import { createSandbox, verifySignature } from "sandglass";
import { connect } from "sandglass/client";

test("a retry an hour from now, today", async () => {
  const sandbox = await createSandbox();
  const inbox = sandbox.inbox("mine");
  const webhook = await sandbox.webhooks.create(inbox.url);
  await sandbox.payments.pay("coffee");
  const [message] = await inbox.messages();
  assert.ok(verifySignature(message.body, message.headers["x-platform-signature"], webhook.secret));
  await sandbox.clock.advance("1h");
  const far = await connect(sandbox.url);
  assert.equal(await far.clock.now(), "2026-01-15T10:00:00.000Z");
  await far.close();
  await sandbox.close();
});
`;

test("the package works in node:test, and leaves nothing open", async () => {
  const folder = folderOf({
    "story.test.mjs": NODE_TEST.replace("await far.close();", "await far.close();\n  await sandbox.close();"),
  });
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules/sandglass"));
  const { NODE_OPTIONS: _options, ...env } = process.env;
  const { code, output } = await new Promise<{ code: number; output: string }>((done) =>
    execFile(
      process.execPath,
      ["--test", "story.test.mjs"],
      { cwd: folder, env, timeout: 25_000 },
      (error, out, err) => done({ code: error ? Number(error.code ?? 1) : 0, output: out + err }),
    ),
  );
  expect(output).toMatch(/pass 1/);
  expect(code).toBe(0);
});
