import { readdirSync } from "node:fs";
import { resolve } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import type { LoadedConfig } from "./read-config.ts";

/** The names under which a configuration is found, in the order they are looked for. */
export const CONFIG_FILES = ["ts", "mts", "js", "mjs", "json"].map((ending) => `sandbox.config.${ending}`);

/**
 * Reads the configuration: the named file, or the first of `CONFIG_FILES` in `cwd`, or none.
 * @param reread whether to read a module again that this process has read before
 * @throws SandboxError `invalid_config` with the file and the reason, in one line
 */
export async function loadConfig({
  file,
  cwd = process.cwd(),
  reread = false,
}: {
  file?: string | undefined;
  cwd?: string;
  reread?: boolean;
}): Promise<LoadedConfig> {
  const path = file === undefined ? findConfig(cwd) : resolve(cwd, file);
  if (path === undefined) return { config: {}, file: undefined };
  const { readConfig } = await import("./read-config.ts");
  return readConfig(path, cwd, reread);
}

/** Names that a person may have meant for a configuration. */
const LIKE_A_CONFIG = /^(?:sandbox|sandglass)\.config\.([a-z0-9]+)$/;

/** The config file of a folder, if it has one. @throws SandboxError `invalid_config` for one under a name that is not read */
export function findConfig(cwd: string): string | undefined {
  const files = readdirSync(cwd);
  for (const file of files) {
    const ending = LIKE_A_CONFIG.exec(file)?.[1];
    if (ending === undefined || CONFIG_FILES.includes(file)) continue;
    const name = `sandbox.config.${ending}`;
    throw new SandboxError(
      "invalid_config",
      `There is a ${file} here, which is not read.`,
      CONFIG_FILES.includes(name) ? `Call it ${name}.` : `Write it as one of ${CONFIG_FILES.join(", ")}.`,
    );
  }
  const found = CONFIG_FILES.find((name) => files.includes(name));
  return found && resolve(cwd, found);
}
