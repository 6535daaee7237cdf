import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { SandboxError } from "../errors.ts";
import type { Sandbox } from "../sandbox.ts";
import { note } from "./output.ts";

/** Where what is left of a failure goes unless told otherwise. */
export const KEEP = "sandglass-failed";

/** Keeps a world as a failure left it, with something to read beside it, so that one can look at both elsewhere. */
export async function keepFailed(
  sandbox: Sandbox,
  { world, page, html }: { world: string; page: string; html: () => string },
): Promise<void> {
  try {
    mkdirSync(dirname(world), { recursive: true });
    writeFileSync(world, await sandbox.snapshot());
    writeFileSync(page, html());
  } catch (error) {
    note(`The world could not be kept in ${world}: ${(error as Error).message}`);
    return;
  }
  note(`What happened is in ${page}, the world in ${world}: sandglass snapshot restore --file ${world}`);
}

/**
 * Writes a report where the user wants it.
 * @throws SandboxError `bad_request` naming the option
 */
export function writeReport(option: string, file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new SandboxError(
      "bad_request",
      `Cannot write ${file}: ${(error as Error).message}.`,
      `Name another file with ${option}.`,
    );
  }
  note(`Wrote ${file}.`);
}
