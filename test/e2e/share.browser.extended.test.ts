import { afterAll, afterEach, describe, expect, test, vi } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { issuedFiles } from "../support/certificates.ts";
import { startSandbox } from "../support/sandbox.ts";
import { closeBrowser, openBrowser, startShared } from "./share.ts";

afterEach(() => vi.unstubAllEnvs());
afterAll(closeBrowser);

describe.skipIf(!BROWSER)("a shared sandbox in the browser of another machine", () => {
  test("a browser on another machine follows the live stream, reloads and opens worlds", async () => {
    const { base, link, makeWorld, control } = await startShared();
    await makeWorld({ name: "demo" });
    const context = await openBrowser();
    const page = await context.newPage();
    await page.goto(link.replace("/_sandbox", "/w/demo/_sandbox"));
    await page.waitForURL(`${base}/w/demo/`);
    await page.goto(`${base}/#/log`);
    await control("POST", "/clock/advance", { by: "1h" });
    await page.getByText("10:00").first().waitFor();
    await page.reload();
    await page.getByText("10:00").first().waitFor();
  });

  test("a share link over HTTPS sets a cookie that is sent only over HTTPS", async () => {
    const { link } = await startShared({ https: issuedFiles() });
    const context = await openBrowser();
    const page = await context.newPage();
    await page.goto(link);
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
    expect(await context.cookies()).toMatchObject([{ secure: true, httpOnly: true, sameSite: "Strict" }]);
    await page.evaluate("location.hash = '#/log'");
    const advance = { method: "POST", headers: { "content-type": "application/json" }, body: '{"by":"1h"}' };
    await page.evaluate(async (init) => void (await fetch("_sandbox/clock/advance", init)), advance);
    await page.getByText("10:00").first().waitFor();
  });

  test("a page without the token asks for the share link and rejects a wrong one", async () => {
    const { base, link } = await startShared();
    const page = await (await openBrowser()).newPage();
    expect((await page.goto(`${base}/`))?.status()).toBe(403);
    await page.getByRole("heading", { name: "This sandbox is shared by a link" }).waitFor();
    await page.getByLabel("Link").fill(link.slice(0, -1));
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("The token does not match the sandbox's.").waitFor();
    await page.getByLabel("Link").fill(link);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
  });

  test("a browser with access can open the sandbox from a link on another site", async () => {
    const { base, link } = await startShared();
    const context = await openBrowser();
    await context.route("http://chat.test/", (route) =>
      route.fulfill({ contentType: "text/html", body: `<a href="${base}/">The sandbox</a>` }),
    );
    const page = await context.newPage();
    await page.goto("http://chat.test/");
    await page.getByRole("link").click();
    await page.getByRole("heading", { name: "This sandbox is shared by a link" }).waitFor();
    await page.goto(`${base}/_sandbox/open`);
    await page.getByText("The link has no token").waitFor();
    await page.goto(link);
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
    await page.goto("http://chat.test/");
    await page.getByRole("link").click();
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
  });
});

test.skipIf(!BROWSER)("an unshared sandbox shows a remote browser how to share it", async () => {
  const { url } = await startSandbox();
  const page = await (await openBrowser()).newPage();
  expect((await page.goto(url.replace("127.0.0.1", "sandbox.test")))?.status()).toBe(403);
  await page.getByRole("heading", { name: "This sandbox is closed to other machines" }).waitFor();
});
