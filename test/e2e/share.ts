import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { onTestFinished, vi } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { BROWSER_ARGS } from "../support/chromium.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Simulates a colleague's browser, which reaches the sandbox by a name that is not local. */

export const TOKEN = "a-token-that-the-tests-have-chosen";

export async function startShared(config: Parameters<typeof startSandbox>[0] = {}) {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", ...config });
  const base = sandbox.url.replace("127.0.0.1", "sandbox.test");
  return { ...sandbox, base, link: `${base}/_sandbox/open#token=${TOKEN}` };
}

/** A separate browser, because it resolves names differently. */
let started: Promise<Browser> | undefined;

/** Closes the browser after the tests of a file. The files of one worker share this module. */
export async function closeBrowser(): Promise<void> {
  const browser = await started;
  started = undefined;
  await browser?.close();
}

/** Opens a fresh browser session with its own storage. */
export async function openBrowser(): Promise<BrowserContext> {
  started ??= chromium.launch({
    executablePath: BROWSER!,
    args: [...BROWSER_ARGS, "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
  const context = await (await started).newContext({ reducedMotion: "reduce", ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  return context;
}
