import { accessSync, constants, mkdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { afterAll, onTestFinished } from "vitest";

const NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];
const ARGS = [
  "--no-sandbox",
  "--disable-gpu",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

/** The browser on this machine: `CHROMIUM`, or one on the PATH. */
export const BROWSER = process.env.CHROMIUM ?? findOnPath();

if (!BROWSER)
  console.warn("No Chromium here: browser tests are skipped. Install one, or name it in CHROMIUM.");

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

const SHOTS = fileURLToPath(new URL("../../test-artifacts/screenshots/", import.meta.url));

export interface TestPage {
  page: Page;
  /** Keeps a picture of the page as an artifact of the run: all of it, or only what is seen. */
  shot(name: string, part?: "whole" | "seen"): Promise<void>;
}

/** One browser for a file of tests, started when it is first needed; each page has a context of its own. */
let started: Promise<Browser> | undefined;
const browserOf = (): Promise<Browser> => {
  started ??= chromium.launch({ executablePath: BROWSER!, args: ARGS });
  return started;
};
afterAll(async () => (await started)?.close());

/** Opens a page in a real browser; it is closed after the test. */
export async function openPage(
  options: { colorScheme?: "light" | "dark"; width?: number; height?: number; presenting?: boolean } = {},
): Promise<TestPage> {
  const browser = await browserOf();
  const context = await browser.newContext({
    colorScheme: options.colorScheme ?? "light",
    viewport: { width: options.width ?? 1200, height: options.height ?? 900 },
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  if (options.presenting)
    await page.addInitScript("localStorage.setItem('sandglass', JSON.stringify({ presenting: true }))");
  mkdirSync(SHOTS, { recursive: true });
  return {
    page,
    shot: async (name, part = "whole") => {
      await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: part === "whole" });
    },
  };
}
