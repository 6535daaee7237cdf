import { existsSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { SandglassConfig } from "./config.ts";
import { SandboxError } from "./errors.ts";
import { broken, loadModule, shortName } from "./load-module.ts";

/** The names under which a configuration is found, in the order they are looked for. */
export const CONFIG_FILES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `sandbox.config.${ending}`);

const SHAPE = "Write: export default { … }. npx sandglass init shows how.";

export interface LoadedConfig {
  /** As written, unchecked: `resolveConfig` reads it. */
  config: SandglassConfig;
  /** The file's name for messages; undefined when there is none. */
  file: string | undefined;
}

/**
 * Reads the configuration: the named file, or the first of `CONFIG_FILES` in `cwd`, or none.
 * @throws SandboxError `invalid_config` with the file and the reason, in one line
 */
export async function loadConfig({ file, cwd }: { file?: string; cwd: string }): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig(cwd) : resolve(cwd, file);
  if (path === undefined) return { config: {}, file: undefined };
  const name = shortName(path, cwd);
  if (!existsSync(path))
    throw new SandboxError(
      "invalid_config",
      `There is no config file ${name}.`,
      "Name one that exists with --config, or write one with: npx sandglass init",
    );
  const config = path.endsWith(".json")
    ? readJson(path, name)
    : await loadModule({ path, name, code: "invalid_config", shape: SHAPE });
  return { config: config as SandglassConfig, file: name };
}

/** The config file of a folder, if it has one. */
export function findConfig(cwd: string): string | undefined {
  return CONFIG_FILES.map((name) => resolve(cwd, name)).find((path) => existsSync(path));
}

function readJson(path: string, name: string): unknown {
  try {
    return JSON.parse(readFileSync(path, "utf8").replace(/^\uFEFF/, ""));
  } catch (error) {
    throw broken(
      "invalid_config",
      name,
      `it is not valid JSON: ${(error as Error).message}`,
      "Correct the file.",
    );
  }
}
