import { writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { SandboxError } from "../errors/errors.ts";
import { makeFolder } from "../runtime/make-folder.ts";
import { note } from "./output.ts";

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
