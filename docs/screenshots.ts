import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { mkdirSync, statSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { type Browser, chromium, type Page } from "playwright-core";
import { movingPicture } from "./moving-picture.ts";

/**
 * Creates the pictures in the README: `npm run build && node --import tsx docs/screenshots.ts`. The built sandbox is
 * started with the default seed and a paused clock, and responses are simulated, so nothing in a picture depends on the
 * machine. This needs Chromium (`CHROMIUM`, or `chromium` on the PATH) and the default port, which appears in the
 * pictures.
 */

const PORT = "4400";
const WIDTH = 1440;
const HEIGHT = 760;
/** The maximum size of a picture, which keeps the README quick to load. */
const MOST_BYTES = 200 * 1024;
const MAIN = fileURLToPath(new URL("../dist/cli/main.js", import.meta.url));
const IMAGES = fileURLToPath(new URL("./images/", import.meta.url));
/** The time that the machine's own clock shows in the pictures. */
const REAL_TIME = new Date("2026-01-15T09:00:00Z");

async function start(): Promise<{ url: string; child: ChildProcess }> {
  const args = [MAIN, "start", "--port", PORT, "--paused", "--json"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  for await (const line of createInterface({ input: child.stdout! }))
    return { url: (JSON.parse(line) as { url: string }).url, child };
  throw new Error("The sandbox did not start; its own words are above.");
}

function controlOf(base: string) {
  return async (method: string, path: string, body: unknown = {}): Promise<Record<string, never>> => {
    const response = await fetch(`${base}/_sandbox${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!response.ok)
      throw new Error(`${method} ${path} answered ${response.status}: ${await response.text()}`);
    return (await response.json()) as Record<string, never>;
  };
}

interface Paid {
  deliveries: { id: string; webhook_id: string }[];
}

/**
 * Creates an endpoint that responded once and has failed since: it has failed six times in a row, and the seventh
 * attempt is due soon.
 */
async function makeTrouble(url: string): Promise<{ hook: string; failed: string }> {
  const control = controlOf(url);
  const { id: hook } = await control("POST", "/platform/webhooks", {
    url: `${url}/_sandbox/inbox/orders`,
    description: "Orders",
  });
  const pay = (reference: string) =>
    control("POST", "/payments", {
      payment_link_id: "coffee",
      client_reference_id: reference,
    }) as unknown as Promise<Paid>;
  await control("PUT", `/webhooks/${hook}/fault`, {
    sequence: [200, 200, 503, 503, 503, "timeout", 500, 500],
  });
  await pay("order_1041");
  await control("POST", "/clock/advance", { by: "8m" });
  await pay("order_1042");
  await control("POST", "/clock/advance", { by: "4m" });
  const { deliveries } = await pay("order_1043");
  await control("PUT", `/webhooks/${hook}/fault`, { kind: "status", status: 503 });
  const failed = deliveries.find(({ webhook_id: id }) => id === hook)!.id;
  return { hook, failed };
}

async function takePictures(browser: Browser, url: string): Promise<void> {
  // Take this picture before the user has an endpoint.
  await picture(browser, url, { name: "home", hash: "#/" });
  const { hook, failed } = await makeTrouble(url);
  const timeline = `#/webhooks/${hook}`;

  await picture(browser, url, {
    name: "attempt",
    hash: `${timeline}/${failed}`,
    async before(page) {
      await page.getByText("Signature", { exact: true }).click();
    },
  });
  await picture(browser, url, {
    name: "preview-dark",
    hash: timeline,
    dark: true,
    async before(page) {
      await page.getByRole("button", { name: "Advance: +1 h" }).hover();
      await page.locator(".preview ol").waitFor();
    },
  });
  await takeMovingPicture(browser, url, timeline);
}

/** The animated picture has a smaller window and its own size limit. */
const MOVING = { width: 960, height: 520 };
const MOST_MOVING_BYTES = 700 * 1024;
/** The page uses a simulated clock, which advances by this much between frames. */
const FRAME_MS = 140;
/** How long the last frame is shown before the animation restarts. */
const END_MS = 2_500;

/** Advances the clock by an hour, and takes a picture of the timeline in each frame. */
async function takeMovingPicture(browser: Browser, url: string, hash: string): Promise<void> {
  const context = await browser.newContext({
    viewport: MOVING,
    colorScheme: "light",
    locale: "en-US",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  await page.clock.install({ time: REAL_TIME });
  await page.goto(`${url}/${hash}`);
  await page.locator(".stage .mark.planned").first().waitFor();
  await page.clock.pauseAt(new Date(REAL_TIME.getTime() + 60_000));
  const clip = (await page.locator(".endpoint .timeline").boundingBox())!;
  const take = () => page.screenshot({ animations: "disabled", clip });
  const frames = [{ png: await take(), shown: 900 }];
  const answered = page.waitForResponse(/clock\/advance/);
  await page.getByRole("button", { name: "Advance: +1 h" }).dispatchEvent("click");
  await (await answered).finished();
  for (let waits = 0; waits < 100 && (await page.locator("html[data-playing]").count()) === 0; waits += 1)
    await page.clock.runFor(20);
  while ((await page.locator("html[data-playing]").count()) > 0) {
    frames.push({ png: await take(), shown: FRAME_MS });
    await page.clock.runFor(FRAME_MS);
  }
  frames.push({ png: await take(), shown: END_MS });
  await context.close();
  const picture = movingPicture(frames);
  writeFileSync(`${IMAGES}advance.png`, picture);
  console.log(`docs/images/advance.png, ${frames.length} frames, ${Math.round(picture.length / 1024)} KB`);
  if (picture.length > MOST_MOVING_BYTES)
    throw new Error(`advance.png has ${picture.length} bytes, more than ${MOST_MOVING_BYTES}.`);
}

interface Picture {
  name: string;
  hash: string;
  dark?: boolean;
  height?: number;
  /** Runs before the picture is taken. */
  before?: (page: Page) => Promise<void>;
}

async function picture(
  browser: Browser,
  url: string,
  { name, hash, dark, height = HEIGHT, before }: Picture,
): Promise<void> {
  const context = await browser.newContext({
    viewport: { width: WIDTH, height },
    deviceScaleFactor: 1,
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
    locale: "en-US",
    timezoneId: "UTC",
  });
  const page = await context.newPage();
  await page.clock.setFixedTime(REAL_TIME);
  await page.goto(`${url}/${hash}`);
  await page.getByText("connected", { exact: true }).waitFor();
  await page.waitForLoadState("networkidle");
  await page.locator("main .loading").first().waitFor({ state: "detached" });
  await before?.(page);
  const path = `${IMAGES}${name}.png`;
  await page.screenshot({ path });
  await context.close();
  const { size } = statSync(path);
  console.log(`docs/images/${name}.png, ${Math.round(size / 1024)} KB`);
  if (size > MOST_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MOST_BYTES}.`);
}

mkdirSync(IMAGES, { recursive: true });
const { url, child } = await start();
try {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? execFileSync("which", ["chromium"], { encoding: "utf8" }).trim(),
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--hide-scrollbars",
      "--num-raster-threads=1",
      "--disable-partial-raster",
    ],
  });
  try {
    await takePictures(browser, url);
  } finally {
    await browser.close();
  }
} finally {
  child.kill();
}
