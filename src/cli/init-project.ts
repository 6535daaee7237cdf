import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../errors/errors.ts";

/** What a folder's package.json and files say about the project in it. */
export interface Project {
  framework: "Next" | "Hono" | "Fastify" | "Express" | "Koa" | "Node";
  runner: "Vitest" | "Jest" | "Playwright" | "node:test";
  manager: "npm" | "pnpm" | "yarn";
  /** Whether the handler is written in TypeScript. */
  typed: boolean;
  /** How a file of ES modules ends here. */
  extension: "ts" | "mts" | "mjs";
  /** `src/` where the project has that folder. */
  folder: "" | "src/";
  installed: boolean;
}

/**
 * Looks at the project in a folder. A folder without package.json is one of plain Node.js.
 * @throws SandboxError `invalid_state` for a package.json that cannot be read
 */
export function readProject(cwd: string): Project {
  const has = (name: string) => existsSync(join(cwd, name));
  const { type, packageManager, dependencies, devDependencies } = readPackage(cwd);
  const needs = (name: string) => name in { ...dependencies, ...devDependencies };
  const first = <Name>(names: [Name, boolean][], otherwise: Name): Name =>
    names.find(([, holds]) => holds)?.[0] ?? otherwise;
  const manages = (name: string, lockFile: string) => packageManager?.startsWith(`${name}@`) || has(lockFile);
  const typed = has("tsconfig.json");
  return {
    framework: first<Project["framework"]>(
      [
        ["Next", needs("next")],
        ["Hono", needs("hono")],
        ["Fastify", needs("fastify")],
        ["Express", needs("express")],
        ["Koa", needs("koa")],
      ],
      "Node",
    ),
    runner: first<Project["runner"]>(
      [
        ["Vitest", needs("vitest")],
        ["Jest", needs("jest")],
        ["Playwright", needs("@playwright/test")],
      ],
      "node:test",
    ),
    manager: first<Project["manager"]>(
      [
        ["pnpm", manages("pnpm", "pnpm-lock.yaml")],
        ["yarn", manages("yarn", "yarn.lock")],
      ],
      "npm",
    ),
    typed,
    // In a package of the type "commonjs", Node takes a .ts file for CommonJS.
    extension: typed ? (type === "commonjs" ? "mts" : "ts") : "mjs",
    folder: has("src") ? "src/" : "",
    installed: needs("sandglass") || has("node_modules/sandglass"),
  };
}

interface PackageJson {
  type?: string;
  packageManager?: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

function readPackage(cwd: string): PackageJson {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) return {};
  try {
    return JSON.parse(readFileSync(path, "utf8")) as PackageJson;
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot read package.json: ${(error as Error).message}`,
      "Correct it, and run the command again.",
    );
  }
}
