import { existsSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { SandboxError } from "../errors.ts";
import { findConfig } from "../load-config.ts";
import type { Invocation } from "./commands.ts";
import { CONFIG_TEMPLATE } from "./config-template.ts";
import { print } from "./output.ts";

const NAME = "sandbox.config.ts";

/** `sandglass init`: a config file in which everything is explained. */
export async function run({ options }: Invocation<{ force?: boolean }>): Promise<undefined> {
  const cwd = process.cwd();
  const found = findConfig(cwd);
  if (found !== undefined && !options.force)
    throw new SandboxError(
      "invalid_state",
      `There is a ${basename(found)} here already; nothing was changed.`,
      basename(found) === NAME
        ? "Overwrite it with: sandglass init --force"
        : `With --force a ${NAME} is written beside it and read in its place.`,
    );
  const path = join(cwd, NAME);
  try {
    writeFileSync(path, CONFIG_TEMPLATE);
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot write ${path}: ${(error as Error).message}.`,
      "Run it in a folder of your own.",
    );
  }
  print(`Wrote ${NAME}. Every field in it is optional and explained.`);
  if (existsSync(join(cwd, "package.json")) && !existsSync(join(cwd, "node_modules", "sandglass")))
    print("For its types in your editor: npm install --save-dev sandglass");
  print("Next: npx sandglass doctor, then npx sandglass");
  return undefined;
}
