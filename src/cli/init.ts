import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { findConfig } from "../config/load-config.ts";
import { SandboxError } from "../errors/errors.ts";
import { refuseLinks } from "../runtime/private-files.ts";
import { scenarioFilesIn } from "../scenarios/files.ts";
import type { Invocation } from "./command.ts";
import { CONFIG_TEMPLATE, SCENARIO_TEMPLATE } from "./config-template.ts";
import { print } from "./output.ts";

const NAME = "sandbox.config.ts";

const SCENARIO = "scenarios/first-payment.ts";

interface InitOptions {
  force?: boolean;
  sender?: string;
}

/** `sandglass init`: a config file in which everything is explained, and a first scenario. */
export async function run({ options }: Invocation<InitOptions>): Promise<undefined> {
  const cwd = process.cwd();
  if (options.sender !== undefined) return writeSender(cwd, options.sender, options.force);
  const found = findConfig(cwd);
  if (found !== undefined && !options.force)
    throw new SandboxError(
      "invalid_state",
      `There is a ${basename(found)} here already; nothing was changed.`,
      basename(found) === NAME
        ? "Overwrite it with: npx sandglass init --force"
        : `With --force a ${NAME} is written beside it and read in its place.`,
    );
  write(cwd, NAME, CONFIG_TEMPLATE);
  print(`Wrote ${NAME}. Every field in it is optional and explained.`);
  // Scenarios are the user's own work, whatever is forced.
  if (scenarioFilesIn(join(cwd, "scenarios")).length === 0) {
    write(cwd, SCENARIO, SCENARIO_TEMPLATE);
    print(`Wrote ${SCENARIO}. Run it: npx sandglass run`);
  }
  if (existsSync(join(cwd, "package.json")) && !existsSync(join(cwd, "node_modules", "sandglass")))
    print("For its types in your editor: npm install --save-dev sandglass");
  print("Next: npx sandglass doctor, then npx sandglass");
  return undefined;
}

/** A sender's file in which everything is explained. */
async function writeSender(cwd: string, name: string, force = false): Promise<undefined> {
  const { senderTemplate } = await import("../senders/files.ts");
  const text = senderTemplate(name);
  const file = `senders/${name}.yaml`;
  if (existsSync(join(cwd, file)) && !force)
    throw new SandboxError(
      "invalid_state",
      `There is a ${file} here already; nothing was changed.`,
      `Overwrite it with: npx sandglass init --sender ${name} --force`,
    );
  write(cwd, file, text);
  print(`Wrote ${file}. Every field in it is explained.`);
  print(`Next: npx sandglass --sender ${file}`);
}

function write(cwd: string, name: string, text: string): void {
  const path = join(cwd, name);
  try {
    refuseLinks(path);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  } catch (error) {
    throw new SandboxError(
      "invalid_state",
      `Cannot write ${path}: ${(error as Error).message}.`,
      "Run it in a folder of your own.",
    );
  }
}
