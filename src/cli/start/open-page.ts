import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { note } from "../output.ts";

/** Browsers that support `--app`, which opens a page in a separate window without tabs or an address bar. */
const WITH_WINDOWS =
  "google-chrome google-chrome-stable chromium chromium-browser microsoft-edge brave-browser".split(" ");
const MAC_APPS = ["Google Chrome", "Microsoft Edge", "Brave Browser", "Chromium"];
const WINDOWS_PROGRAMS = [
  "Google\\Chrome\\Application\\chrome.exe",
  "Microsoft\\Edge\\Application\\msedge.exe",
];

/** The command that opens a page: in a separate window if such a browser is installed, otherwise in a tab. */
export function openCommand(
  url: string,
  platform: string = process.platform,
  env: NodeJS.ProcessEnv = process.env,
  exists: (path: string) => boolean = existsSync,
): [program: string, ...args: string[]] {
  if (platform === "darwin") {
    const app = MAC_APPS.find((name) => exists(`/Applications/${name}.app`));
    return app ? ["open", "-na", app, "--args", `--app=${url}`] : ["open", url];
  }
  const folders =
    platform === "win32"
      ? [env.ProgramFiles, env["ProgramFiles(x86)"]].filter((folder) => folder !== undefined)
      : (env.PATH ?? "").split(delimiter);
  const programs = platform === "win32" ? WINDOWS_PROGRAMS : WITH_WINDOWS;
  const browser = programs
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => exists(path));
  if (browser) return [browser, `--app=${url}`];
  return platform === "win32" ? ["cmd", "/c", "start", '""', url] : ["xdg-open", url];
}

/** Opens the page if possible: it is not an error if the machine has no browser. */
export function openPage(url: string): void {
  const [program, ...args] = openCommand(url);
  const opener = spawn(program, args, { detached: true, stdio: "ignore" });
  opener.on("error", () => note(`No browser could be opened; go to ${url}`));
  opener.unref();
}
