import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";

/** Whether TypeScript itself runs, as in development and in tests, and not the build's output. */
export const FROM_SOURCE = import.meta.url.endsWith(".ts");

/** The JSON Schema of fixtures, which the build writes. */
export const FIXTURES_SCHEMA = "dist/fixtures.schema.json";

/** The report of the demo's exploration, which the build writes, too. */
export const DEMO_REPORT = "dist/demo-report.html";

/** The nearest folder above this file with a package.json: the same for sources and for bundles. */
const ROOT = packageRoot();

/** The path in this package of a file, or of a folder if it ends in a slash. */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

/** A program for a thread or a process: its source, and its name in the build. */
export interface ThreadProgram {
  source: string;
  built: string;
}

/** The path of a program's file. */
export const pathOf = ({ source, built }: ThreadProgram): string => inPackage(FROM_SOURCE ? source : built);

/** NODE_OPTIONS that load a program before a user's code. @param options that the process gets in any case */
export const preloading = ({ source, built }: ThreadProgram, options: string | undefined): string =>
  [options, `--import ${new URL(FROM_SOURCE ? source : built, ROOT).href}`].filter(Boolean).join(" ");

/** Starts a thread. It does not load the preloaded modules of the user's process. */
export function startThread({ source, built }: ThreadProgram, options: WorkerOptions): Worker {
  // Most commands start none, and loading its module takes them as long as reading their own code.
  const threads = process.getBuiltinModule("node:worker_threads");
  return new threads.Worker(new URL(FROM_SOURCE ? source : built, ROOT), { execArgv: [], ...options });
}

function packageRoot(): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("..", folder);
    if (parent.href === folder.href) break;
    folder = parent;
  }
  return folder;
}
