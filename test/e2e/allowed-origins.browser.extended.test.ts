import { createServer } from "node:http";
import type { Page } from "playwright-core";
import { describe, expect, test } from "vitest";
import { BROWSER, openPage } from "../support/browser.ts";
import { listenForTest } from "../support/listen.ts";
import { startSandbox } from "../support/sandbox.ts";

/** Starts a front end on a separate port, as a dev server would. */
async function startFrontEnd(): Promise<string> {
  const server = createServer((_request, response) =>
    response.setHeader("content-type", "text/html").end("<h1>My game</h1>"),
  );
  return `http://127.0.0.1:${await listenForTest(server)}`;
}

interface Seen {
  status?: number;
  token?: string;
  failed?: string;
}

/** Creates a player's token from within the page. */
const mint = (page: Page, url: string, init: object = {}): Promise<Seen> =>
  page.evaluate(
    async ([target, options]) => {
      try {
        const response = await fetch(`${target}/_sandbox/game/tokens`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: "{}",
          ...options,
        });
        const { token } = (await response.json()) as { token: string };
        return { status: response.status, token };
      } catch (error) {
        return { failed: String(error) };
      }
    },
    [url, init] as const,
  );

describe.skipIf(!BROWSER)("a front end on another port", () => {
  test("a page from an allowed origin mints a token and reads the live journal without sending cookies", async () => {
    const origin = await startFrontEnd();
    const { url } = await startSandbox({ allowedOrigins: [origin] });
    const { page } = await openPage();
    await page.goto(origin);
    expect(await mint(page, url)).toEqual({ status: 200, token: expect.stringMatching(/^eyJ/) });
    expect(await mint(page, url, { credentials: "include" })).toEqual({
      failed: "TypeError: Failed to fetch",
    });
    const opened = await page.evaluate(
      (target) =>
        new Promise<string>((resolve) => {
          const stream = new EventSource(`${target}/_sandbox/live`);
          stream.onopen = () => resolve("open");
          stream.onerror = () => resolve("refused");
        }),
      url,
    );
    expect(opened).toBe("open");

    const named = origin.replace("127.0.0.1", "localhost");
    const { url: other } = await startSandbox({ allowedOrigins: [named] });
    expect(await mint(page, other)).toEqual({ failed: "TypeError: Failed to fetch" });
    await page.goto(named).catch(() => undefined);
    expect((await mint(page, other)).status).toBe(200);
  });
});
