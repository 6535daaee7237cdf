import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type BrowserContext, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { BROWSER, BROWSER_ARGS } from "./chromium.ts";
import { sharePagePort } from "./page-port.ts";

export { BROWSER };

if (BROWSER) sharePagePort();

/**
 * Set `SCREENSHOTS=1` to save screenshots. By default they are not taken, because rendering and encoding a page costs
 * as much as testing it.
 */
const SHOTS = process.env.SCREENSHOTS
  ? fileURLToPath(new URL("../../test-artifacts/screenshots/", import.meta.url))
  : undefined;

export interface TestPage {
  page: Page;
  /** Saves a screenshot as an artifact of the run: the whole page, or only the visible part. */
  shot(name: string, part?: "whole" | "seen"): Promise<void>;
}

/**
 * All files of a worker share one browser and one context, which are closed when the worker exits. A page that stays
 * open keeps the renderer process for 127.0.0.1 alive, and all other pages use this process: starting one takes longer
 * than loading a page.
 */
let started: Promise<BrowserContext> | undefined;
function contextOf(): Promise<BrowserContext> {
  started ??= startContext();
  return started;
}

async function startContext(): Promise<BrowserContext> {
  const browser = await chromium.launch({ executablePath: BROWSER!, args: BROWSER_ARGS });
  const context = await browser.newContext({
    reducedMotion: "reduce",
    permissions: ["clipboard-read", "clipboard-write"],
  });
  const open = await context.newPage();
  await open.route("**/*", (route) => route.fulfill({ contentType: "text/html", body: "" }));
  await open.goto("http://127.0.0.1/");
  return context;
}

/**
 * Pages that no test is using now. A page is a browser window, and opening one takes as long as loading our page in it.
 */
const free: Page[] = [];

/** Reverts what a test has done to a page, so the next test gets a page that is as good as new. */
async function giveBack(page: Page): Promise<void> {
  if (page.isClosed()) return;
  page.removeAllListeners();
  await page.unrouteAll({ behavior: "ignoreErrors" });
  // Each sandbox has its own origin, but a later sandbox may get the same port as one that was closed.
  await page.evaluate("localStorage.clear()").catch(() => undefined);
  await page.goto("about:blank");
  await page.emulateMedia({ media: null, colorScheme: null, forcedColors: null, reducedMotion: "reduce" });
  free.push(page);
}

/** Opens a page in a real browser. After the test, another test may reuse it. */
export async function openPage(
  options: { colorScheme?: "light" | "dark"; width?: number; height?: number; presenting?: boolean } = {},
): Promise<TestPage> {
  const page = free.pop() ?? (await (await contextOf()).newPage());
  onTestFinished(() => giveBack(page));
  await page.setViewportSize({ width: options.width ?? 1200, height: options.height ?? 900 });
  if (options.colorScheme) await page.emulateMedia({ colorScheme: options.colorScheme });
  if (options.presenting) {
    const script = await page.addInitScript(
      "localStorage.setItem('sandglass', JSON.stringify({ presenting: true }))",
    );
    onTestFinished(() => script.dispose());
  }
  return {
    page,
    shot: async (name, part = "whole") => {
      if (!SHOTS) return;
      mkdirSync(SHOTS, { recursive: true });
      await page.screenshot({ path: join(SHOTS, `${name}.png`), fullPage: part === "whole" });
    },
  };
}
