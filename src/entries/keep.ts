import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makePrivateFolder, refuseLinks, writePrivateFile } from "../runtime/private-files.ts";
import { shellArgument } from "../runtime/shell.ts";

/** The default folder for the worlds of failed tests. */
export const KEEP = "sandglass-failed";

/** The names of the files in that folder. */
const KEPT_FILE = /\.(?:sandglass|html)$/;

/**
 * The maximum number of bytes of a test's name in a file name. File systems allow 255, including the hash and the
 * extension.
 */
const NAME_BYTES = 120;

/** The files that are saved for a failure. */
export interface KeptFiles {
  /** The world as a snapshot. */
  world: string;
  /** An HTML page that shows what happened in the world. */
  page: string;
}

/** The files for a failure, under a name that is unique in the folder. */
export const keptFiles = (folder: string, name: string): KeptFiles => ({
  world: join(folder, `${name}.sandglass`),
  page: join(folder, `${name}.html`),
});

/** A file name for a test: its words, plus a hash that distinguishes tests with the same words. */
export function fileNameOf(test: string): string {
  const words = test.replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  const hash = createHash("sha256").update(test).digest("hex").slice(0, 6);
  // If the cut splits a character, it becomes a replacement character.
  const start = Buffer.from(words)
    .subarray(0, NAME_BYTES)
    .toString()
    .replace(/\uFFFD+$/, "");
  return `${start}-${hash}`;
}

/**
 * Saves the world of a failure with a page that shows what happened. Both can be opened on another machine.
 * @returns their paths and how to continue from there, or why they could not be saved, because the failure itself is
 * more important
 */
export async function keepFailed(
  { world, page }: KeptFiles,
  content: { world: () => Promise<Uint8Array>; page: () => Promise<string> },
): Promise<string> {
  try {
    for (const file of [world, page]) refuseLinks(file);
    makePrivateFolder(dirname(resolve(world)), KEPT_FILE);
    writePrivateFile(world, await content.world());
    writePrivateFile(page, await content.page());
  } catch (error) {
    return `The world could not be saved to ${world}: ${(error as Error).message}`;
  }
  return `What happened is in ${page}. To continue from there, start npx sandglass and run npx sandglass snapshot restore --file ${shellArgument(world)}`;
}

/** Removes the files of an earlier failure. Symbolic links are left alone, because they point to other files. */
export function forgetFailed(files: KeptFiles): void {
  for (const file of [files.world, files.page]) {
    try {
      refuseLinks(file);
    } catch {
      continue;
    }
    rmSync(file, { force: true });
  }
}
