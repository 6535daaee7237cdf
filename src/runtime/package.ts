import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Worker, WorkerOptions } from "node:worker_threads";

/**
 * Whether the program runs from its TypeScript source, as in development and tests, rather than from the build's
 * output.
 */
export const FROM_SOURCE = import.meta.url.endsWith(".ts");

/** The file with the JSON Schema for fixtures, written by the build. */
export const FIXTURES_SCHEMA = "dist/fixtures.schema.json";

/** The file with the report of the demo's exploration, also written by the build. */
export const DEMO_REPORT = "dist/demo-report.html";

/** The nearest parent folder with a package.json. This works for both sources and bundles. */
const ROOT = packageRoot();

/** The absolute path of a file in this package, or of a folder if `path` ends in a slash. */
export function inPackage(path: string): string {
  return fileURLToPath(new URL(path, ROOT));
}

/** A program that runs in a thread or process: its source file, and the file that the build generates from it. */
export interface ThreadProgram {
  source: string;
  built: string;
}

export const pathOf = ({ source, built }: ThreadProgram): string => inPackage(FROM_SOURCE ? source : built);

/** The NODE_OPTIONS that load a program before the user's code. @param options the existing options, which are kept */
export const preloading = ({ source, built }: ThreadProgram, options: string | undefined): string =>
  [options, `--import ${new URL(FROM_SOURCE ? source : built, ROOT).href}`].filter(Boolean).join(" ");

/** Starts a thread that does not load the modules preloaded in the user's process. */
export function startThread({ source, built }: ThreadProgram, options: WorkerOptions): Worker {
  // Load this module lazily: most commands start no thread, and loading it takes as long as loading their own code.
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
