import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { makePrivateFolder, refuseLinks, writePrivateFile } from "../runtime/private-files.ts";
import { shellArgument } from "../runtime/shell.ts";

/** The default folder for the worlds of failures. */
export const KEEP = "sandglass-failed";

/** The names of the files that are stored there. */
const KEPT_FILE = /\.(?:sandglass|html)$/;

/** Bytes of a test's name in the names of its files; file systems take 255, with the hash and the ending. */
const NAME_BYTES = 120;

/** The files of a failure. */
export interface KeptFiles {
  /** The world, as a snapshot. */
  world: string;
  /** The events in it, as an HTML file. */
  page: string;
}

/** The files of a failure, by a name that is unique in the folder. */
export const keptFiles = (folder: string, name: string): KeptFiles => ({
  world: join(folder, `${name}.sandglass`),
  page: join(folder, `${name}.html`),
});

/** A file name for a test: its words, and a hash that distinguishes names with the same words. */
export function fileNameOf(test: string): string {
  const words = test.replace(/[^\p{L}\p{N}._]+/gu, "-").replace(/^[-.]+|[-.]+$/g, "");
  const hash = createHash("sha256").update(test).digest("hex").slice(0, 6);
  // A letter that is cut in two becomes a replacement character.
  const start = Buffer.from(words)
    .subarray(0, NAME_BYTES)
    .toString()
    .replace(/\uFFFD+$/, "");
  return `${start}-${hash}`;
}

/**
 * Writes the world of a failure, with a page that shows what happened, so that both can be opened on another machine.
 * @returns their paths and how to continue from there, or why they could not be written: the failure itself matters more
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

/** Removes the files of an earlier failure. A symbolic link is left alone, as it leads to another file. */
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
