import { readdirSync } from "node:fs";
import { basename, extname } from "node:path";
import { readShippedInfo } from "../../scenarios/catalog.ts";
import { SHIPPED_SCENARIOS } from "../../scenarios/files.ts";
import { chooseAction } from "../actions.ts";
import type { Invocation } from "../command.ts";
import { COMMANDS, DEFAULT_COMMAND } from "../commands.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { completionModel } from "./model.ts";
import { zshScript } from "./zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };

/** `sandglass completion`: a script that completes commands, actions, flags and their values. */
export async function run({ args: [shell] }: Invocation): Promise<undefined> {
  const script = chooseAction("completion", SCRIPTS, shell!);
  process.stdout.write(script(completionModel(COMMANDS, scenarioNames()), DEFAULT_COMMAND));
  return undefined;
}

/** The names of the shipped scenarios. */
function scenarioNames(): string[] {
  const info = readShippedInfo();
  if (info) return Object.values(info).map(({ name }) => name);
  return readdirSync(SHIPPED_SCENARIOS).map((file) => basename(file, extname(file)));
}
