import { instant } from "../story/instant.ts";
import type { Invocation } from "./command.ts";
import { fields, pace, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

/** `sandglass reset`: the world as it was when it began. */
export async function run({ options }: Invocation<ServerOptions & { seed?: string }>): Promise<undefined> {
  const sandbox = await chosenSandbox(options);
  const status = await sandbox.run("reset", { seed: options.seed });
  if (options.json) printJson(status);
  else
    for (const line of fields([
      ["reset", `world ${status.world}, to seed ${status.seed}`],
      ["clock", `${pace(status.clock)}, at ${instant(status.clock.now)} UTC`],
    ]))
      print(line);
  return undefined;
}
