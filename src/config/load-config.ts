import { existsSync, readdirSync } from "node:fs";
import { resolve } from "node:path";
import { invalidConfig } from "../errors/errors.ts";
import { readTextFile } from "../runtime/text-file.ts";
import type { WrittenConfig } from "./config.ts";

/** The names of configuration files, in the order in which they are looked up. */
const CONFIG_FILES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `sandbox.config.${ending}`);

const SHAPE = "Write: export default { … }. npx sandglass init shows how.";

export interface LoadedConfig {
  /** The configuration as written, before `resolveConfig` validates it. */
  config: WrittenConfig;
  /** The file name for messages; undefined if there is no file. */
  file: string | undefined;
}

/**
 * Reads the configuration from the given file, or else from the one in this folder, if there is one.
 * @param reread whether to reload a module that this process has already loaded
 * @throws SandboxError `invalid_config` with the file and the reason on one line
 */
export async function loadConfig(named?: string, reread = false): Promise<LoadedConfig> {
  const path = named === undefined ? findConfig() : resolve(named);
  if (path === undefined) return { config: {}, file: undefined };
  // Load this lazily, because most commands find no configuration file.
  const { loadModule, shortName } = await import("../runtime/load-module.ts");
  const file = shortName(path, process.cwd());
  if (!existsSync(path))
    throw invalidConfig(
      `There is no config file ${file}.`,
      "Give the path of an existing one with --config, or create one with: npx sandglass init",
    );
  if (path.endsWith(".json")) return { config: readJson(path, file), file };
  (await import("../runtime/own-package.ts")).findSandglass();
  const config = await loadModule({ path, name: file, code: "invalid_config", shape: SHAPE, reread });
  return { config: config as WrittenConfig, file };
}

function readJson(path: string, name: string): WrittenConfig {
  const text = readTextFile(path, { name, code: "invalid_config" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw invalidConfig(`${name} is not valid JSON: ${(error as Error).message}.`, "Correct the file.");
  }
}

/** Matches file names that were probably meant as a configuration. */
const LIKE_A_CONFIG = /^(?:sandbox|sandglass)\.config\.([a-z0-9]+)$/;

/**
 * The configuration file in this folder, if there is one. @throws SandboxError `invalid_config` if its name is not
 * supported
 */
export function findConfig(): string | undefined {
  const files = readdirSync(process.cwd());
  for (const file of files) {
    const ending = LIKE_A_CONFIG.exec(file)?.[1];
    if (ending === undefined || CONFIG_FILES.includes(file)) continue;
    const name = `sandbox.config.${ending}`;
    throw invalidConfig(
      `This folder contains ${file}, which Sandglass does not read.`,
      CONFIG_FILES.includes(name)
        ? `Call it ${name}.`
        : `Use one of these files: ${CONFIG_FILES.join(", ")}.`,
    );
  }
  const found = CONFIG_FILES.find((name) => files.includes(name));
  return found && resolve(found);
}
