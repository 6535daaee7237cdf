import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Whether TypeScript itself runs, as in development and in tests, and not what the build made of it. */
export const FROM_SOURCE = import.meta.url.endsWith(".ts");

const root = packageRoot();

/** The recordings that come with the package. */
export const BUILT_IN_RECORDINGS = fileURLToPath(new URL("fixtures/recordings/", root));

/** The program of the thread that replays them. */
export const REPLAY_WORKER = new URL(
  FROM_SOURCE ? "src/chain-data/providers/replay-worker.ts" : "dist/replay-worker.js",
  root,
);

/** The nearest folder above this file that has a package.json: the same for sources and for bundles. */
function packageRoot(): URL {
  let folder = new URL(".", import.meta.url);
  while (!existsSync(new URL("package.json", folder))) {
    const parent = new URL("..", folder);
    if (parent.href === folder.href) break;
    folder = parent;
  }
  return folder;
}
