import { closeSync, existsSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, extname } from "node:path";
import type { Client } from "../../client/http.ts";
import { conflict, misuse, type SandboxError } from "../../errors/errors.ts";
import { fileError } from "../../errors/file-error.ts";
import type { Snapshot } from "../../library/sandbox.ts";
import { refuseLinks } from "../../runtime/private-files.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { instant } from "../../timeline/instant.ts";
import { view, viewsOf } from "../operation/view.ts";
import { columns, fields, paint, UNDO } from "../output.ts";

const FLEETING =
  "The snapshot lasts until the server stops. To continue from it later, add --file <file>, or start the server with --data-dir <folder>.";

const MAX_NAME = 64;

export const views = viewsOf(
  view("snapshots.list", {
    lines: ({ data }) =>
      data.length === 0
        ? ["No snapshots. Save one: npx sandglass snapshot save <name>"]
        : columns(
            data.map((one) => [
              { text: one.name, color: paint.bold },
              one.now === null ? "" : `${instant(one.now)} UTC`,
              size(one),
              one.problem ?? "",
            ]),
          ),
  }),

  view("snapshot", {
    async read({ name: chosen, file, force }, { sandbox }) {
      const name = named("save", chosen ?? (file && nameOf(file)));
      if (!force && (await exists(sandbox, name)))
        throw taken(name, `npx sandglass snapshot save ${name} --force`);
      // Check this first. Otherwise the command could fail after saving the snapshot.
      if (file !== undefined) checkWritable(file);
      return { name };
    },
    async pick(saved, { sandbox, given: { file } }) {
      if (file === undefined) return saved;
      const bytes = await sandbox.downloadSnapshot(saved.name);
      tryToWrite(file, () => writeFileSync(file, bytes, { mode: 0o600 }));
      return saved;
    },
    lines: (saved, { given: { file } }) => [
      ...fields([
        ["saved", saved.name, size(saved)],
        ["at", `${instant(saved.now!)} UTC`],
        ...(file === undefined ? [] : [["file", file] as [string, string]]),
      ]),
      ...(saved.durable || file !== undefined ? [] : [FLEETING]),
    ],
  }),

  view("restore", {
    async read({ name: chosen, file, force }, { sandbox }) {
      const name = named("restore", chosen ?? (file && nameOf(file)));
      if (file === undefined) return { name };
      const bytes = read(file);
      // Restoring the same file repeatedly is fine.
      if (!force && (await exists(sandbox, name)) && !bytes.equals(await sandbox.downloadSnapshot(name)))
        throw taken(name, `npx sandglass snapshot restore ${name} --file ${shellArgument(file)} --force`);
      await sandbox.uploadSnapshot(name, bytes);
      return { name };
    },
    lines: ({ clock }, { given: { name, file } }) => [
      ...fields([
        ["restored", name ?? nameOf(file)],
        ["clock", `${clock.mode}, at ${instant(clock.now)} UTC`],
      ]),
      UNDO,
    ],
  }),

  view("snapshots.delete", { lines: ({ name }) => [`Deleted ${name}.`] }),
);

function named(action: string, name: string | undefined): string {
  if (name) return name;
  throw misuse(
    `snapshot ${action} needs a name.`,
    `For example: npx sandglass snapshot ${action} before-disable`,
  );
}

const exists = async (sandbox: Client, name: string): Promise<boolean> =>
  (await sandbox.run("snapshots.list")).data.some((snapshot) => snapshot.name === name);

const taken = (name: string, replace: string): SandboxError =>
  conflict(
    `There is already a different snapshot named '${name}'.`,
    `Choose another name, or replace it: ${replace}`,
  );

/**
 * A snapshot name derived from a file name without its extension. Long names are cut at the start, because the names of
 * failed tests differ at the end.
 */
const nameOf = (file: string): string =>
  basename(file, extname(file))
    .replace(/[^A-Za-z0-9._-]/g, "-")
    .slice(-MAX_NAME)
    .replace(/^[^A-Za-z0-9]+/, "") || "file";

const size = ({ bytes }: Snapshot): string => `${(bytes / 1024 ** 2).toFixed(1)} MiB`;

function read(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw fileError("read", file, error, "Choose another file.");
  }
}

/** Checks, without changing anything, that a file can be written. @throws SandboxError `bad_request` */
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
    throw fileError("write", file, error, "Choose another file.");
  }
}
