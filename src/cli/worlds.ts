import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { instant } from "../story/instant.ts";
import { chooseAction } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { columns, fields, pace, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  from?: string;
  seed?: string;
  startAt?: string;
  paused?: boolean;
  rate?: string;
}

type Action = (sandbox: Client, name: string | undefined, options: Options) => Promise<void>;

const ACTIONS: Record<string, Action> = { list, create, delete: remove };

/** `sandglass worlds`: the isolated sandboxes of one server. */
export async function run({
  args: [action = "list", name],
  options,
}: Invocation<Options>): Promise<undefined> {
  const act = chooseAction("worlds", ACTIONS, action);
  await act(await chosenSandbox(options), name, options);
  return undefined;
}

const readWorlds = (sandbox: Client) => sandbox.run("worlds.list");

async function list(sandbox: Client, _name: string | undefined, { json }: Options): Promise<void> {
  const worlds = await readWorlds(sandbox);
  if (json) return printJson(worlds);
  for (const line of columns([
    ...worlds.data.map(({ name, url, seed, clock }) => [
      { text: name, color: paint.bold },
      `${instant(clock.now)} UTC`,
      pace(clock),
      `seed ${seed}`,
      { text: url, color: paint.cyan },
    ]),
    ...worlds.not_opened.map(({ name, problem, kept_as: file }) => [
      { text: name, color: paint.bold },
      { text: "not opened", color: paint.red },
      problem,
      file,
    ]),
  ]))
    print(line);
}

async function create(sandbox: Client, name: string | undefined, options: Options): Promise<void> {
  const { from, seed, startAt, paused, rate, json } = options;
  const mode = paused ? "paused" : undefined;
  const body = {
    ...{ name, from, seed, startAt },
    ...(mode || rate !== undefined ? { clock: { ...(mode && { mode }), ...readRate(rate, paused) } } : {}),
  };
  const world = await sandbox.run("worlds.create", body);
  if (json) return printJson(world);
  for (const line of fields([
    ["world", { text: world.world, color: paint.bold }],
    ["url", { text: world.url, color: paint.cyan }],
    ["clock", `${pace(world.clock)}, at ${instant(world.clock.now)} UTC`],
  ]))
    print(line);
  print(paint.dim(`Name it in other commands: --world ${world.world}, or SANDGLASS_URL=${world.url}`));
}

function readRate(text: string | undefined, paused = false): { mode?: string; rate?: number } {
  if (text === undefined) return {};
  const rate = text.trim() === "" ? Number.NaN : Number(text);
  if (Number.isNaN(rate))
    throw new SandboxError("bad_request", `--rate must be a number, not '${text}'.`, "For example --rate 60");
  return paused ? { rate } : { mode: rate === 1 ? "live" : "scaled", rate };
}

async function remove(sandbox: Client, name: string | undefined, { json }: Options): Promise<void> {
  if (name === undefined)
    throw new SandboxError(
      "bad_request",
      "worlds delete needs a world's name.",
      "Print them all: npx sandglass worlds",
    );
  const ended = await sandbox.run("worlds.delete", { name });
  if (json) printJson(ended);
  else print(`Deleted ${name}.`);
}
