import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import { inPackage } from "../runtime/package.ts";
import { readTextFile } from "../runtime/text-file.ts";

/** Each before those that it needs itself. */
const FRAMEWORKS = ["Next", "Hono", "Fastify", "Express", "Koa"] as const;

const RUNNERS = [
  ["Vitest", "vitest"],
  ["Jest", "jest"],
  ["Playwright", "@playwright/test"],
] as const;

const LOCK_FILES: Record<string, string> = { pnpm: "pnpm-lock.yaml", yarn: "yarn.lock" };

/** What a folder's package.json and files say about the project in it. */
export interface Project {
  framework: (typeof FRAMEWORKS)[number] | "Node";
  runner: (typeof RUNNERS)[number][0] | "node:test";
  manager: "npm" | "pnpm" | "yarn";
  /** Whether the handler is written in TypeScript. */
  typed: boolean;
  /** How a file of ES modules ends here. */
  extension: "ts" | "mts" | "mjs";
  /** `src/` where the project has that folder. */
  folder: "" | "src/";
  installed: boolean;
  /** The senders that come with Sandglass whose packages the project needs. */
  senders: string[];
}

/**
 * Looks at the project in a folder. A folder without package.json is one of plain Node.js.
 * @throws SandboxError `invalid_state` for a package.json that cannot be read
 */
export function readProject(cwd: string): Project {
  const has = (name: string) => existsSync(join(cwd, name));
  const { type, packageManager, dependencies, devDependencies } = readPackage(cwd);
  const needs = (name: string) => name in { ...dependencies, ...devDependencies };
  const manages = (name: string) => packageManager?.startsWith(`${name}@`) || has(LOCK_FILES[name]!);
  const typed = has("tsconfig.json");
  return {
    framework: FRAMEWORKS.find((name) => needs(name.toLowerCase())) ?? "Node",
    runner: RUNNERS.find(([, name]) => needs(name))?.[0] ?? "node:test",
    manager: (["pnpm", "yarn"] as const).find(manages) ?? "npm",
    typed,
    // In a package of the type "commonjs", Node takes a .ts file for CommonJS.
    extension: typed ? (type === "commonjs" ? "mts" : "ts") : "mjs",
    folder: has("src") ? "src/" : "",
    installed: needs("sandglass") || has("node_modules/sandglass"),
    senders: Object.entries(senderPackages()).flatMap(([name, sender]) => (needs(name) ? sender : [])),
  };
}

/** The senders of the package, by what their users install. */
const senderPackages = (): Record<string, string> =>
  JSON.parse(readFileSync(inPackage("fixtures/init/sender-packages.json"), "utf8"));

type Needs = Record<string, string>;

function readPackage(cwd: string): {
  type?: string;
  packageManager?: string;
  dependencies?: Needs;
  devDependencies?: Needs;
} {
  const path = join(cwd, "package.json");
  if (!existsSync(path)) return {};
  const text = readTextFile(path, { name: "package.json", code: "invalid_state" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot read package.json: ${(error as Error).message}`,
      "Correct it, and run the command again.",
    );
  }
}
