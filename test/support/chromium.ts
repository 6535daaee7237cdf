import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The first is Chromium without the windows around its pages, which take a third of its time. */
const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** The browser on this machine: `CHROMIUM`, or one on the PATH. */
export const BROWSER = process.env.CHROMIUM ?? findOnPath();

/** How every page of the tests and of the bench is opened. */
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
