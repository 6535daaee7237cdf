import { existsSync, statSync } from "node:fs";
import { readTextFile } from "../../runtime/text-file.ts";
import { isObject } from "../../webhooks/body-text.ts";
import { note } from "../output.ts";
import type { Found } from "./sources.ts";

/** List each framework before the frameworks that it is built on. */
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
  /** The file extension for ES modules in this project. */
  extension: "ts" | "mts" | "mjs";
  folder: "" | "src/";
  installed: boolean;
  /** The names of all packages that the project depends on. */
  needs: string[];
  /** The package.json script that starts the server. */
  start: Found | undefined;
  script: string;
  /** The port in that command. */
  port: string | undefined;
  builds: boolean;
  /** The package.json scripts that create the tables of an empty database, and add rows to them. */
  migrate: string | undefined;
  seed: string | undefined;
}

/**
 * Reads the project in a folder. A folder without package.json counts as a plain Node.js project.
 * @param base the folder with a trailing slash; empty for the current one
 */
export function readProject(base = ""): Project {
  const { type, packageManager, dependencies, devDependencies, scripts = {} } = readPackage(base);
  const all = Object.keys({ ...dependencies, ...devDependencies });
  const needs = (name: string) => all.includes(name);
  const root = base === "" ? packageManager : packageManager || readPackage("").packageManager;
  const manages = (name: string) =>
    root?.startsWith(`${name}@`) ||
    [LOCK_FILES[name]!, `${base}${LOCK_FILES[name]}`].some((file) => existsSync(file));
  const typed = existsSync(`${base}tsconfig.json`);
  const manager = (["pnpm", "yarn"] as const).find(manages) ?? "npm";
  const script = ["start", "dev", "serve", "start:dev", "develop"].find(
    (name) => typeof scripts[name] === "string",
  );
  const written = String(scripts[script ?? ""] ?? "");
  return {
    framework: FRAMEWORKS.find((name) => needs(name.toLowerCase())) ?? "Node",
    runner: RUNNERS.find(([, name]) => needs(name))?.[0] ?? "node:test",
    manager,
    typed,
    // In a package with type "commonjs", Node treats .ts files as CommonJS, so use .mts.
    extension: typed ? (type === "commonjs" ? "mts" : "ts") : "mjs",
    folder: existsSync(`${base}src`) ? "src/" : "",
    installed: needs("sandglass") || existsSync("node_modules/sandglass"),
    needs: all,
    start: script === undefined ? undefined : startOf(scripts, script, manager, base),
    script: written,
    port: /(?:-p|--port)[ =](\d{4,5})\b|\bPORT=(\d{4,5})\b/.exec(written)?.slice(1).find(Boolean),
    builds: script === "start" && "build" in scripts,
    migrate: ["db:migrate", "migration:run", "migrations:run", "migrate", "db:push"].find(
      (name) => name in scripts,
    ),
    seed: ["db:seed", "seed", "seed:db", "prisma:seed"].find((name) => name in scripts),
  };
}

/** The command for a script. One that only runs Node is started directly, without the package manager. */
function startOf(scripts: Record<string, unknown>, name: string, manager: string, base: string): Found {
  const script = String(scripts[name]);
  const isDirect =
    /^(?:[A-Z_]+=\S+ )*node [^&|;]+$/.test(script) && !(`pre${name}` in scripts || `post${name}` in scripts);
  return { value: isDirect ? script : `${manager} run ${name}`, at: `${base}package.json` };
}

interface Package {
  type?: string;
  packageManager?: string;
  dependencies?: object;
  devDependencies?: object;
  scripts?: Record<string, unknown>;
}

/**
 * Reads package.json. Treats a file that is not valid JSON as empty, and warns about it.
 * @throws SandboxError `invalid_state` if it is not UTF-8, which npm cannot read either
 */
function readPackage(base: string): Package {
  const name = `${base}package.json`;
  if (!existsSync(name) || !statSync(name).isFile()) return {};
  const text = readTextFile(name, { name, code: "invalid_state" });
  try {
    const written: unknown = JSON.parse(text);
    const fields = isObject(written) ? written : {};
    const textOf = (value: unknown) => (typeof value === "string" ? { value } : undefined)?.value;
    const objectOf = (value: unknown) => (isObject(value) ? value : {});
    return {
      ...{ type: textOf(fields.type) ?? "", packageManager: textOf(fields.packageManager) ?? "" },
      ...{ dependencies: objectOf(fields.dependencies), devDependencies: objectOf(fields.devDependencies) },
      scripts: objectOf(fields.scripts),
    };
  } catch (error) {
    note(`Skipped: ${name}, which is not JSON. ${(error as Error).message}`);
    return {};
  }
}
