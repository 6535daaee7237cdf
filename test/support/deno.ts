import { existsSync } from "node:fs";

/** The npm package of Deno, which .ci/run installs in the folder that CLIENTS names. */
const programIn = (folder: string): string => `${folder}/node_modules/.bin/deno`;

export const hasDeno = (folder: string | undefined): boolean =>
  folder !== undefined && existsSync(programIn(folder));

/** The command that starts a file with Deno, using the packages of that folder. */
export const denoStart = (folder: string, file: string): string =>
  `${programIn(folder)} run --allow-all --node-modules-dir=manual ${file}`;
