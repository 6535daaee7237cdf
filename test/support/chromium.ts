import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first name is that of a Chromium without a window system, which takes only two thirds of the time. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** The browser on this machine: the one in `CHROMIUM`, or one on the PATH. */
export const BROWSER = process.env.CHROMIUM ?? findOnPath();

/** The options with which tests and benchmarks start the browser. */
export const BROWSER_ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--renderer-process-limit=1",
  "--process-per-site",
];

function findOnPath(): string | undefined {
  const folders = (process.env.PATH ?? "").split(delimiter).filter((folder) => folder !== "");
  const candidates = NAMES.flatMap((name) => folders.map((folder) => join(folder, name)));
  return candidates.find((path) => {
    try {
      accessSync(path, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
