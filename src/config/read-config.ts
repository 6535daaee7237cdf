import { existsSync } from "node:fs";
import { SandboxError } from "../errors/errors.ts";
import { broken, loadModule, shortName } from "../runtime/load-module.ts";
import { findSandglass } from "../runtime/own-package.ts";
import { readTextFile } from "../runtime/text-file.ts";
import type { WrittenConfig } from "./config.ts";

const SHAPE = "Write: export default { … }. npx sandglass init shows how.";

export interface LoadedConfig {
  /** As written, unchecked: `resolveConfig` reads it. */
  config: WrittenConfig;
  /** The file's name for messages; undefined without a file. */
  file: string | undefined;
}

/** Reads a config file. @throws SandboxError `invalid_config` with the file and the reason, in one line */
export async function readConfig(path: string, cwd: string, reread = false): Promise<LoadedConfig> {
  const name = shortName(path, cwd);
  if (!existsSync(path))
    throw new SandboxError(
      "invalid_config",
      `There is no config file ${name}.`,
      "Name one that exists with --config, or write one with: npx sandglass init",
    );
  if (!path.endsWith(".json")) findSandglass();
  const config = path.endsWith(".json")
    ? readJson(path, name)
    : await loadModule({ path, name, code: "invalid_config", shape: SHAPE, reread });
  return { config: config as WrittenConfig, file: name };
}

function readJson(path: string, name: string): unknown {
  const text = readTextFile(path, { name, code: "invalid_config" });
  try {
    return JSON.parse(text);
  } catch (error) {
    throw broken(
      "invalid_config",
      name,
      `it is not valid JSON: ${(error as Error).message}`,
      "Correct the file.",
    );
  }
}
