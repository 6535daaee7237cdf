import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Client } from "../client/http.ts";
import { SandboxError } from "../errors/errors.ts";
import { refuseLinks } from "../runtime/private-files.ts";
import type { SnapshotView } from "../sandbox/snapshots.ts";
import { instant } from "../story/instant.ts";
import { chooseAction } from "./actions.ts";
import type { Invocation } from "./command.ts";
import { columns, fields, paint, print, printJson } from "./output.ts";
import { chosenSandbox, type ServerOptions } from "./server.ts";

interface Options extends ServerOptions {
  file?: string;
  force?: boolean;
}

const FLEETING =
  "It lasts until the server stops. To go on with it later, add --file <file>, or start the server with --data-dir <folder>.";

/** The longest name of a snapshot. */
const MAX_NAME = 64;

type Action = (sandbox: Client, name: string | undefined, options: Options) => Promise<void>;

const ACTIONS: Record<string, Action> = { save, restore, list, delete: remove };

/** `sandglass snapshot`: the world as it is, kept, and gone back to. */
export async function run({
  args: [action = "list", name],
  options,
}: Invocation<Options>): Promise<undefined> {
  const act = chooseAction("snapshot", ACTIONS, action);
  await act(await chosenSandbox(options), name, options);
  return undefined;
}

async function save(sandbox: Client, argument: string | undefined, { file, force, json }: Options) {
  const name = named("save", argument ?? (file && nameOf(file)));
  if (!force && (await sandbox.run("snapshots.list")).data.some((snapshot) => snapshot.name === name))
    throw new SandboxError(
      "conflict",
      `There is a snapshot '${name}' already.`,
      `Choose another name, or replace it: npx sandglass snapshot save ${name} --force`,
    );
  // Otherwise the snapshot would be saved by a command that fails.
  if (file !== undefined) checkWritable(file);
  const saved = await sandbox.run("snapshot", { name });
  if (file !== undefined) {
    const bytes = await sandbox.downloadSnapshot(saved.name);
    tryToWrite(file, () => writeFileSync(file, bytes, { mode: 0o600 }));
  }
  if (json) printJson(saved);
  else
    for (const line of fields([
      ["saved", saved.name, size(saved)],
      ["at", `${instant(saved.now!)} UTC`],
      ...(file === undefined ? [] : [["file", file] as [string, string]]),
    ]))
      print(line);
  if (!json && !saved.durable && file === undefined) print(FLEETING);
}

async function restore(
  sandbox: Client,
  argument: string | undefined,
  { file, json }: Options,
): Promise<void> {
  const name = named("restore", argument ?? (file && nameOf(file)));
  if (file !== undefined) await sandbox.uploadSnapshot(name, read(file));
  const status = await sandbox.run("restore", { name });
  if (json) printJson(status);
  else
    for (const line of fields([
      ["restored", name],
      ["clock", `${status.clock.mode}, at ${instant(status.clock.now)} UTC`],
    ]))
      print(line);
}

async function list(sandbox: Client, _name: string | undefined, { json }: Options): Promise<void> {
  const snapshots = (await sandbox.run("snapshots.list")).data;
  if (json) printJson({ data: snapshots });
  else if (snapshots.length === 0) print("No snapshots. Save one: npx sandglass snapshot save <name>");
  else
    for (const line of columns(
      snapshots.map((one) => [
        { text: one.name, color: paint.bold },
        one.now === null ? "" : `${instant(one.now)} UTC`,
        size(one),
        one.problem ?? "",
      ]),
    ))
      print(line);
}

async function remove(sandbox: Client, name: string | undefined, { json }: Options): Promise<void> {
  const deleted = await sandbox.run("snapshots.delete", { name: named("delete", name) });
  if (json) printJson(deleted);
  else print(`Deleted ${deleted.name}.`);
}

function named(action: string, name: string | undefined): string {
  if (name) return name;
  throw new SandboxError(
    "bad_request",
    `snapshot ${action} needs a name.`,
    `For example: npx sandglass snapshot ${action} before-disable`,
  );
}

/** A file's name without its ending, as a snapshot's name. Of a long one the end: the files of failed tests differ there. */
const nameOf = (file: string): string =>
  basename(file, extname(file))
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(-MAX_NAME)
    .replace(/^[^A-Za-z0-9]+/, "") || "file";

const size = ({ bytes }: SnapshotView): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot read ${file}: ${(error as Error).message}.`,
      "Name another file.",
    );
  }
}

/** @throws SandboxError `bad_request` for a file that cannot be written; changes nothing */
function checkWritable(file: string): void {
  const isNew = !existsSync(file);
  tryToWrite(file, () => {
    refuseLinks(file);
    closeSync(openSync(file, "a"));
  });
  if (isNew) rmSync(file);
}

function tryToWrite(file: string, write: () => void): void {
  try {
    write();
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot write ${file}: ${(error as Error).message}.`,
      "Name another file.",
    );
  }
}
