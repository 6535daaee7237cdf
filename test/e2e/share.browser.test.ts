import { type Browser, type BrowserContext, chromium, type Request } from "playwright-core";
import { afterAll, afterEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { BROWSER } from "../support/browser.ts";
import { issuedFiles } from "../support/certificates.ts";
import { BROWSER_ARGS } from "../support/chromium.ts";
import { startSandbox } from "../support/sandbox.ts";

/** A colleague's browser: it knows the sandbox by a name that is not this machine. */

const TOKEN = "a-token-that-the-tests-have-chosen";

afterEach(() => vi.unstubAllEnvs());

async function startShared(config: Parameters<typeof startSandbox>[0] = {}) {
  vi.stubEnv("SANDGLASS_TOKEN", TOKEN);
  const sandbox = await startSandbox({ share: true, host: "127.0.0.1", ...config });
  const base = sandbox.url.replace("127.0.0.1", "sandbox.test");
  return { ...sandbox, base, link: `${base}/_sandbox/open#token=${TOKEN}` };
}

/** A browser of its own, as it resolves names in another way. */
let started: Promise<Browser> | undefined;
afterAll(async () => (await started)?.close());

/** A browser that has seen nothing yet: what it stores is in a context of its own. */
async function openBrowser(): Promise<BrowserContext> {
  started ??= chromium.launch({
    executablePath: BROWSER!,
    args: [...BROWSER_ARGS, "--host-resolver-rules=MAP *.test 127.0.0.1"],
  });
  const context = await (await started).newContext({ reducedMotion: "reduce", ignoreHTTPSErrors: true });
  onTestFinished(() => context.close());
  return context;
}

describe.skipIf(!BROWSER)("a shared sandbox in the browser of another machine", () => {
  test("opens by the link, which then is in neither the address bar nor any URL or Referer", async () => {
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

  test("follows the live stream, reloads, and opens worlds", async () => {
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

  test("opens over HTTPS, with a cookie for HTTPS alone", async () => {
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

  test("says that it needs the link, takes it in a field, and refuses a wrong one", async () => {
    const { base, link } = await startShared();
    const page = await (await openBrowser()).newPage();
    expect((await page.goto(`${base}/`))?.status()).toBe(403);
    await page.getByRole("heading", { name: "This sandbox is shared by a link" }).waitFor();
    await page.getByLabel("Link").fill(link.slice(0, -1));
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByText("This is not the token of the sandbox.").waitFor();
    await page.getByLabel("Link").fill(link);
    await page.getByRole("button", { name: "Open" }).click();
    await page.getByRole("heading", { name: /^Sandglass: what happens/ }).waitFor();
  });

  test("opens from a link on another site once the browser was let in, by a link pasted over one without a token", async () => {
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

test.skipIf(!BROWSER)("a sandbox that is not shared says how to share it", async () => {
  const { url } = await startSandbox();
  const page = await (await openBrowser()).newPage();
  expect((await page.goto(url.replace("127.0.0.1", "sandbox.test")))?.status()).toBe(403);
  await page.getByRole("heading", { name: "This sandbox is closed to other machines" }).waitFor();
});
