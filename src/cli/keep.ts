import { writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import { makeFolder, type Sandbox } from "../sandbox/sandbox.ts";
import { note } from "./output.ts";

/** Where what is left of a failure goes unless told otherwise. */
export const KEEP = "sandglass-failed";

/** Keeps a world as a failure left it, with something to read beside it, so that one can look at both elsewhere. */
export async function keepFailed(
  sandbox: Sandbox,
  { world, page, html }: { world: string; page: string; html: () => string },
): Promise<void> {
  try {
    makeFolder(dirname(resolve(world)));
    writeFileSync(world, await sandbox.snapshot());
    writeFileSync(page, html());
  } catch (error) {
    note(`The world could not be kept in ${world}: ${(error as Error).message}`);
    return;
  }
  note(
    `What happened is in ${page}. To go on from there: npx sandglass, and beside it npx sandglass snapshot restore --file ${world}`,
  );
}

/**
 * Empties the file of a report that is to be written, and makes its folder: an old one is not taken for the new, and
 * one that cannot be written is told before anything runs.
 * @throws SandboxError `bad_request` naming the option
 */
export function prepareReport(option: string, file: string | undefined): void {
  if (file !== undefined) save(option, file, "");
}

/**
 * Writes a report where the user wants it.
 * @throws SandboxError `bad_request` naming the option
 */
export function writeReport(option: string, file: string, text: string): void {
  save(option, file, text);
  note(`Wrote ${file}.`);
}

function save(option: string, file: string, text: string): void {
  try {
    makeFolder(dirname(resolve(file)));
    writeFileSync(file, text);
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot write ${file}: ${(error as Error).message}.`,
      `Name another file with ${option}.`,
    );
  }
}
