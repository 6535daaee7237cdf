import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its parents one level at a time, because Node's recursive mkdir never returns for some paths,
 * such as those below /proc.
 * @param mode the mode of the folder itself; its parents get the default
 */
export function makeFolder(folder: string, mode?: number): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  if (parent !== folder) makeFolder(parent);
  mkdirSync(folder, { mode });
}
