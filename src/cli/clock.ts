import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import type { ClockState } from "../world/clock.ts";
import { chooseAction } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { fields, pace, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

type Action = (sandbox: Client, rate: string | undefined) => Promise<ClockState>;

const ACTIONS: Record<string, Action> = {
  show: (sandbox) => sandbox.run("clock.state"),
  pause: (sandbox) => sandbox.run("clock.pause"),
  resume: (sandbox) => sandbox.run("clock.resume"),
  rate: (sandbox, text) => {
    const rate = readRate(text);
    const mode = rate === 1 ? "live" : "scaled";
    return sandbox.run("clock.set", { mode, rate });
  },
};

/** `sandglass clock`: shows the virtual clock, or changes how it runs. */
export async function run({
  args: [name = "show", rate],
  options,
}: Invocation<ServerOptions>): Promise<undefined> {
  const act = chooseAction("clock", ACTIONS, name);
  const clock = await act(await chosenSandbox(options), rate);
  if (options.json) printJson(clock);
  else
    for (const line of fields([
      ["clock", pace(clock)],
      ["now", `${instant(clock.now)} UTC`],
    ]))
      print(line);
  return undefined;
}

/** The sandbox itself refuses a number that is out of range. */
function readRate(text: string | undefined): number {
  const rate = text === undefined || text.trim() === "" ? Number.NaN : Number(text);
  if (!Number.isNaN(rate)) return rate;
  throw new SandboxError(
    "bad_request",
    text === undefined ? "clock rate needs a number." : `'${text}' is not a rate.`,
    "It is the number of virtual seconds per real second, for example: npx sandglass clock rate 60",
  );
}
