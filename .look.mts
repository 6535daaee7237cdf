import { chromium } from "playwright-core";
import { BROWSER, BROWSER_ARGS } from "/work/wt/p/test/support/chromium.ts";
const url = process.argv[2]!;
const places = process.argv.slice(3);
const browser = await chromium.launch({ executablePath: BROWSER!, args: BROWSER_ARGS });
const context = await browser.newContext({ reducedMotion: "reduce" });
const page = await context.newPage();
page.on("console", (m) => ["error", "warning"].includes(m.type()) && console.log(m.type(), m.text()));
page.on("pageerror", (e) => console.log("PAGEERROR", e.message));
for (const place of places) {
  const [hash, name, sizes = "1280x800"] = place.split("@");
  for (const size of sizes!.split(",")) {
    const [width, height] = size.split("x").map(Number);
    await page.setViewportSize({ width: width!, height: height! });
    await page.goto(`${url}/${hash}`);
    await page.reload();
    await page.waitForTimeout(700);
    const over = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    console.log(name, size, "over", over, "focus", await page.evaluate("document.activeElement.tagName + ' ' + (document.activeElement.textContent||'').slice(0,40)"));
    await page.screenshot({ path: `/tmp/t-p/shots/${name}-${width}.png` });
  }
}
await browser.close();
