import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type Sqlite from "better-sqlite3";
import { SandboxError } from "../errors/errors.ts";

const require = createRequire(import.meta.url);
let loaded: typeof Sqlite | undefined;

/**
 * Loads better-sqlite3 with its native binding on the first call.
 * @throws SandboxError `missing_binding` with the reason and a command that fixes it for the user's package manager
 */
export function loadSqlite(): typeof Sqlite {
  if (loaded) return loaded;
  try {
    const Database = require("better-sqlite3") as typeof Sqlite;
    // The package loads its binding only when a database is opened.
    new Database(":memory:").close();
    loaded = Database;
    return Database;
  } catch (error) {
    throw bindingError(error, packageManager());
  }
}

type PackageManager = "npm" | "pnpm" | "yarn";

/** Detects the package manager from this process's environment, or else from files in the folders. */
function packageManager(): PackageManager {
  const agent = /^(npm|pnpm|yarn)\//.exec(process.env.npm_config_user_agent ?? "")?.[1];
  if (agent) return agent as PackageManager;
  if (process.versions.pnp || existsSync("yarn.lock")) return "yarn";
  return import.meta.url.includes("/.pnpm/") || existsSync("pnpm-lock.yaml") ? "pnpm" : "npm";
}

/** Explains in one line why the binding did not load, and how to fix it. */
function bindingError(error: unknown, manager: PackageManager): SandboxError {
  const { code, message = String(error) } = Object(error) as { code?: string; message?: string };
  const failed = (reason: string, hint: string) =>
    new SandboxError("missing_binding", `Cannot load better-sqlite3: ${reason}.`, hint);
  const folder = packageFolder();
  if (folder === undefined) return failed("it is not installed", `Install it: ${manager} install`);
  const compile = `Compile it (needs Python and a C++ compiler): ${manager === "yarn" ? "yarn unplug better-sqlite3, then in its folder: " : `cd ${folder} && `}npx node-gyp rebuild --release --force_build=1`;
  if (code === "MODULE_NOT_FOUND")
    return existsSync(join(folder, "prebuilds"))
      ? failed(`it has no binary for ${process.platform} on ${process.arch}`, compile)
      : failed(`its binaries are not in ${folder}`, reinstall(folder, manager));
  const reason = message.split("\n")[0]!.replace(/\.$/, "");
  return failed(reason, /GLIBC|version `/.test(message) ? compile : reinstall(folder, manager));
}

function reinstall(folder: string, manager: PackageManager): string {
  if (manager === "pnpm") return "Install it again: pnpm install --force";
  if (manager === "yarn")
    return "Install it again: yarn install --check-cache (Yarn 1: yarn install --force)";
  return `Remove ${folder}, then: npm install`;
}

function packageFolder(): string | undefined {
  try {
    return dirname(require.resolve("better-sqlite3/package.json"));
  } catch {
    return undefined;
  }
}
