import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { runChild } from "../support/child.ts";
import { ROOT } from "../support/docs.ts";
import { runWarmCli } from "../support/warm-cli.ts";
import { FRAMEWORKS, type Framework, init, project, typescript } from "./init.ts";

describe("the tests that init writes", () => {
  test("init writes a test for node:test, an exploration and a scenario, which all pass", async () => {
    const cwd = project([], { "package.json": "{}" });
    await init(cwd);
    const node = (...args: string[]) => runChild(process.execPath, args, { cwd, env: runnerEnv() });
    const [tested, explored, played] = await Promise.all([
      node("--test", "webhooks.test.mjs"),
      node("webhooks.explore.mjs", "late-payment"),
      runWarmCli(["run"], { cwd }),
    ]);
    expect(tested.stdout).toMatch(/pass 1\n/);
    expect(explored.stdout).toMatch(/^No difference in \d+ schedules\./);
    expect(played).toMatchObject({ code: 0, stdout: expect.stringContaining("1 passed") });
  });

  test("init writes a Vitest test for a TypeScript handler, and the test passes", async () => {
    const cwd = project(["vitest", "express"], typescript);
    await init(cwd);
    const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
    const run = [vitest, "run", "--root", cwd, "--testTimeout=120000", "--hookTimeout=120000"];
    const { stdout } = await runChild(process.execPath, run, { cwd, env: runnerEnv() });
    expect(stdout).toMatch(/Tests +1 passed/);
  });

  test("init writes a Jest test, and the test passes", async () => {
    const cwd = project(["jest"]);
    await init(cwd);
    const run = [
      "--experimental-vm-modules",
      join(ROOT, "node_modules/jest/bin/jest.js"),
      "webhooks.test.mjs",
      "--testTimeout=120000",
    ];
    const { stderr } = await runChild(process.execPath, run, { cwd, env: runnerEnv() });
    expect(stderr).toMatch(/Tests: +1 passed/);
  });
});

/** The environment of a user's shell, without the variables that this suite's runner sets. */
function runnerEnv(): NodeJS.ProcessEnv {
  const { VITEST: _vitest, NODE_ENV: _env, NODE_OPTIONS: _options, ...env } = process.env;
  return { ...env, NO_COLOR: "1" };
}

/** Type declarations for frameworks that are not installed here, limited to the parts that handlers use. */
const DECLARED: Partial<Record<Framework, string>> = {
  hono: `declare module "hono" {
    interface Context { req: { arrayBuffer(): Promise<ArrayBuffer>; header(name: string): string | undefined } }
    export class Hono { post(path: string, handler: (context: Context) => Promise<Response>): this; fetch(request: Request): Promise<Response> }
  }`,
  koa: `declare module "koa" {
    import type { IncomingMessage } from "node:http";
    export interface Context { path: string; method: string; status: number; body: unknown; req: IncomingMessage; get(name: string): string }
    export type Next = () => Promise<void>;
  }`,
  express: `declare module "express" {
    interface Router { post(path: string, ...handlers: ((request: { body: unknown; get(name: string): string | undefined }, response: { status(code: number): { end(): void } }) => void)[]): void }
    const express: { Router(): Router; raw(options: { type(): boolean; limit: string }): () => void };
    namespace express { export type { Router }; }
    export default express;
  }`,
};

test("init writes TypeScript handlers that compile under the strictest checks", async () => {
  const cwd = project([]);
  symlinkSync(join(ROOT, "node_modules/@types"), join(cwd, "node_modules/@types"));
  for (const framework of FRAMEWORKS) {
    const own = join(cwd, framework);
    mkdirSync(own);
    writeFileSync(
      join(own, "package.json"),
      JSON.stringify({ type: "module", dependencies: { [framework]: "1" } }),
    );
    writeFileSync(join(own, "tsconfig.json"), "{}");
    writeFileSync(join(cwd, `${framework}.d.ts`), DECLARED[framework] ?? "");
    await init(own);
  }
  writeFileSync(
    join(cwd, "tsconfig.json"),
    JSON.stringify({
      compilerOptions: {
        ...{ module: "NodeNext", target: "ES2023", types: ["node"], noEmit: true, skipLibCheck: true },
        ...{
          strict: true,
          noUncheckedIndexedAccess: true,
          exactOptionalPropertyTypes: true,
          noUnusedLocals: true,
        },
      },
      include: ["*.d.ts", "*/webhooks.ts"],
    }),
  );
  const tsc = [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", cwd];
  expect(await runChild(process.execPath, tsc, { cwd, env: process.env })).toMatchObject({
    stdout: "",
    code: 0,
  });
});
