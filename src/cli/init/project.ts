import { existsSync } from "node:fs";
import { invalidState } from "../../errors/errors.ts";
import { readTextFile } from "../../runtime/text-file.ts";
import type { Found } from "./sources.ts";

/** Frameworks come before the frameworks that they depend on. */
const FRAMEWORKS = ["Next", "Hono", "Fastify", "Express", "Koa"] as const;

const RUNNERS = [
  ["Vitest", "vitest"],
  ["Jest", "jest"],
  ["Playwright", "@playwright/test"],
] as const;

const LOCK_FILES: Record<string, string> = { pnpm: "pnpm-lock.yaml", yarn: "yarn.lock" };

export interface Project {
  framework: (typeof FRAMEWORKS)[number] | "Node";
  runner: (typeof RUNNERS)[number][0] | "node:test";
  manager: "npm" | "pnpm" | "yarn";
  typed: boolean;
  /** The ending of ES modules in this project. */
  extension: "ts" | "mts" | "mjs";
  folder: "" | "src/";
  installed: boolean;
  /** The script of package.json that starts the server. */
  start: Found | undefined;
  /** The port named in the script. */
  port: string | undefined;
  builds: boolean;
  hasPg: boolean;
}

/**
 * Reads the project in a folder. A folder without package.json is plain Node.js.
 * @throws SandboxError `invalid_state` for a package.json that cannot be read
 */
export function readProject(): Project {
  const { type, packageManager, dependencies, devDependencies, scripts = {} } = readPackage();
  const needs = (name: string) => name in { ...dependencies, ...devDependencies };
  const manages = (name: string) => packageManager?.startsWith(`${name}@`) || existsSync(LOCK_FILES[name]!);
  const typed = existsSync("tsconfig.json");
  const manager = (["pnpm", "yarn"] as const).find(manages) ?? "npm";
  const script = ["start", "dev"].find((name) => name in scripts);
  return {
    framework: FRAMEWORKS.find((name) => needs(name.toLowerCase())) ?? "Node",
    runner: RUNNERS.find(([, name]) => needs(name))?.[0] ?? "node:test",
    manager,
    typed,
    // In a package of the type "commonjs", Node takes a .ts file for CommonJS.
    extension: typed ? (type === "commonjs" ? "mts" : "ts") : "mjs",
    folder: existsSync("src") ? "src/" : "",
    installed: needs("sandglass") || existsSync("node_modules/sandglass"),
    start: script === undefined ? undefined : startOf(scripts[script]!, `${manager} run ${script}`),
    port: /(?:-p|--port)[ =](\d{4,5})\b/.exec(scripts[script ?? ""] ?? "")?.[1],
    builds: script === "start" && "build" in scripts,
    hasPg: needs("pg") || existsSync("node_modules/pg"),
  };
}

/** A script that only runs Node is started directly, which is faster and passes signals on. */
const startOf = (script: string, command: string): Found => ({
  value: /^node [^&|;]+$/.test(script) ? script : command,
  at: "package.json",
});

type Needs = Record<string, string>;

function readPackage(): {
  type?: string;
  packageManager?: string;
  dependencies?: Needs;
  devDependencies?: Needs;
  scripts?: Needs;
} {
  if (!existsSync("package.json")) return {};
  const text = readTextFile("package.json", { name: "package.json", code: "invalid_state" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidState(
      `Cannot read package.json: ${(error as Error).message}`,
      "Correct it, and run the command again.",
    );
  }
}
