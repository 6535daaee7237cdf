import { type Browser, type BrowserContext, chromium } from "playwright-core";
import { onTestFinished, vi } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { BROWSER_ARGS } from "../support/chromium.ts";
import { startSandbox } from "../support/sandbox.ts";

/** A colleague's browser: it knows the sandbox by a name that is not this machine. */

export const TOKEN = "a-token-that-the-tests-have-chosen";

export async function startShared(config: Parameters<typeof startSandbox>[0] = {}) {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", ...config });
  const base = sandbox.url.replace("127.0.0.1", "sandbox.test");
  return { ...sandbox, base, link: `${base}/_sandbox/open#token=${TOKEN}` };
}

/** A browser of its own, as it resolves names in another way. */
let started: Promise<Browser> | undefined;

/** Closes it, after the tests of a file; files of one worker share this module. */
export async function closeBrowser(): Promise<void> {
  const browser = await started;
  started = undefined;
  await browser?.close();
}

/** A browser that has seen nothing yet: what it stores is in a context of its own. */
export async function openBrowser(): Promise<BrowserContext> {
  started ??= chromium.launch({
    executablePath: BROWSER!,
    args: [...BROWSER_ARGS, "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
  const context = await (await started).newContext({ reducedMotion: "reduce", ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  return context;
}
