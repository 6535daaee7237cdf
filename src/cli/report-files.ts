import { accessSync, constants, existsSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { fileError } from "../errors/file-error.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { refuseLinks } from "../runtime/private-files.ts";
import { note } from "./output.ts";

/**
 * Creates a report's folder and deletes the old report, so it is not mistaken for the new one and an interrupted run
 * leaves no empty file. If the file cannot be written, this fails before anything runs.
 * @throws SandboxError `bad_request` with the option
 */
export function prepareReport(option: string, file: string | undefined): void {
  if (file === undefined) return;
  save(option, file, "");
  try {
    // Delete a link's target, not the link. Devices and pipes stay.
    const path = realpathSync(file);
    if (statSync(path).isFile()) rmSync(path);
  } catch {
    // In a read-only folder, the empty file cannot be deleted, so it stays.
  }
}

/**
 * Checks, before anything runs, that failed worlds can be saved to a folder. Does not create the folder, because most runs
 * save nothing.
 * @throws SandboxError `bad_request` with the option
 */
export function checkFolder(option: string, folder: string): void {
  try {
    refuseLinks(folder);
    tryToWriteIn(folder);
  } catch (error) {
    throw fileError("save to", folder, error, `Choose another folder with ${option}.`);
  }
}

/** Throws an error unless the folder, or the nearest parent that exists, is writable. */
export function tryToWriteIn(folder: string): void {
  let above = resolve(folder);
  while (!existsSync(above) && dirname(above) !== above) above = dirname(above);
  if (!statSync(above).isDirectory()) throw new Error(`${above} is not a folder`);
  accessSync(above, constants.W_OK);
}

/** Writes a report to the user's path. @throws SandboxError `bad_request` with the option */
export function writeReport(option: string, file: string, text: string): void {
  save(option, file, text);
  note(`Wrote ${file}.`);
}

function save(option: string, file: string, text: string): void {
  try {
    refuseLinks(file);
    const isNew = !existsSync(dirname(file));
    makeFolder(dirname(resolve(file)));
    writeFileSync(file, text);
    if (isNew) note(`Created the folder ${dirname(file)}.`);
  } catch (error) {
    throw fileError("write", file, error, `Choose another file with ${option}.`);
  }
}
