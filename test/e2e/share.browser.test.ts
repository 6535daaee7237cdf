import type { Request } from "playwright-core";
import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { closeBrowser, openBrowser, startShared, TOKEN } from "./share.ts";

afterEach(() => vi.unstubAllEnvs());
afterAll(closeBrowser);

describe.skipIf(!BROWSER)("a shared sandbox in the browser of another machine", () => {
  test("a share link opens the page, and its token then appears in no address, request URL or Referer header", async () => {
    const { base, link, createLink } = await startShared();
    const context = await openBrowser();
    const page = await context.newPage();
    const requests: Request[] = [];
    page.on("request", (request) => void requests.push(request));
    await page.goto(link);
    await page.getByRole("heading", { level: 1 }).first().waitFor();
    await page.waitForURL(`${base}/`);
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
    await createLink();
    expect(page.url()).not.toContain("token");
    expect(await page.evaluate("document.cookie")).toBe("");
    const [cookie] = await context.cookies();
    expect(cookie).toMatchObject({ httpOnly: true, sameSite: "Strict", expires: -1 });
    for (const request of requests) {
      expect(request.url()).not.toContain(TOKEN);
      const { referer = "", ...headers } = await request.allHeaders();
      expect(referer).not.toContain(TOKEN);
      const carriers = Object.entries(headers).filter(([, value]) => value.includes(TOKEN));
      const handsOver = request.url().endsWith("/_sandbox/share/cookie");
      expect(carriers.map(([name]) => name)).toEqual(handsOver ? ["x-sandbox-token"] : []);
    }
    await page.goBack();
    expect(page.url()).not.toContain(TOKEN);
  });
});
