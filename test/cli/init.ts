import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import { runCli } from "../support/cli.ts";
import { projectFolder } from "../support/project.ts";

export const FRAMEWORKS = ["express", "fastify", "hono", "koa", "next", "node"] as const;
export type Framework = (typeof FRAMEWORKS)[number];

/** Creates a project for init to inspect: dependencies in package.json, and other files with additional facts. */
export function project(needs: readonly string[], files: Record<string, string> = {}): string {
  const cwd = projectFolder("sandglass", "express", "fastify", "vitest", "jest");
  const dependencies = Object.fromEntries(needs.map((name) => [name, "1.0.0"]));
  writeFileSync(join(cwd, "package.json"), JSON.stringify({ type: "module", dependencies }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text);
  }
  return cwd;
}
export const typescript = { "tsconfig.json": "{}" };

export async function init(cwd: string, ...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(["init", ...args], { cwd });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  // Each command is on one line, so it can be copied.
  for (const line of stdout.split(/\n(?: {2}.*\n)*/)) expect(line.length).toBeLessThanOrEqual(60);
  return stdout;
}
