import { type Browser, chromium, type Page } from "playwright-core";
import { paymentsArea } from "../../src/payments/area.ts";
import { DAY } from "../../src/world/duration.ts";
import { BROWSER, BROWSER_ARGS } from "../support/chromium.ts";
import { writeManyAttempts } from "../support/many-attempts.ts";
import type { Figure } from "./harness.ts";
import { quietSandbox } from "./quiet-sandbox.ts";

const ATTEMPTS = 10_000;
const MOST_MS = 50;
/**
 * The time limit for a frame while an advance is animated: 40 frames per second on a machine that is four times slower.
 */
const MOST_PLAYED_MS = 1_000 / 40 / 4;
/** How many times the wheel is turned, which happens once per frame. */
const TURNS = 60;
const PAYMENTS = 10;
/** How long to wait, in milliseconds: longer than the animation of an outage takes, even on a slow machine. */
const PLAYED_MS = 120_000;
/** Frames that take less time than this, in milliseconds, did no work for the measured action. */
const IDLE_MS = 1;

/**
 * Measures the time that the page's main thread takes for each frame of an endpoint's timeline. First, payments arrive
 * in the view as it was opened; then, with all attempts loaded, the densest part of the view is panned, and the view is
 * zoomed from a day to minutes and back. In between, an outage of another endpoint is animated.
 */
export async function frames(): Promise<Figure[]> {
  if (!BROWSER) {
    console.warn("frames is not measured: there is no Chromium here. Install one, or name it in CHROMIUM.");
    return [];
  }
  const { url, sandbox, close } = await quietSandbox();
  const payments = sandbox.part(paymentsArea);
  const caller = { org: payments.organizations.main().id, ip: "127.0.0.1", method: "POST", path: "/bench" };
  const webhook = payments.endpoints.create(caller, { url: `${url}/_sandbox/inbox/shop` });
  const link = payments.links.create(caller, { name: "Tea", amount: "2500000" });
  writeManyAttempts(sandbox.world, webhook.id, ATTEMPTS);

  const browser = await chromium.launch({ executablePath: BROWSER, args: BROWSER_ARGS });
  const page = await browser.newPage({ viewport: { width: 1_440, height: 900 } });
  await page.goto(`${url}/#/webhooks/${webhook.id}`);
  const now = sandbox.clock.now();
  const show = async (days: number) => {
    const [from, to] = [now - days * DAY, now].map((at) => new Date(at).toISOString());
    await page.evaluate(`location.hash = "#/webhooks/${webhook.id}?from=${from}&to=${to}"`);
    await page.waitForLoadState("networkidle");
  };
  const measured = async (
    name: string,
    { of, most }: { of: (values: number[]) => number; most: number },
    work: () => Promise<void>,
  ): Promise<Figure> => {
    const { cpu, wall } = framesOf(await traceOf(browser, page, work));
    return {
      ...{ name, ours: of(cpu), unit: "ms of CPU", limit: { most } },
      wall: { ours: of(wall), bare: most, unit: "ms" },
    };
  };
  const figure = (name: string, work: () => Promise<void>) =>
    measured(
      `${name} with 10,000 attempts, a frame of the page at the 95th percentile`,
      { of: at95, most: MOST_MS },
      work,
    );
  await page.locator(".stage .mark").first().waitFor();
  await page.waitForLoadState("networkidle");
  const figures = [
    await figure("a payment", async () => {
      for (let index = 0; index < PAYMENTS; index += 1) {
        const made = page.waitForResponse((response) => response.url().includes("/timeline?"));
        await sandbox.payments.pay({ payment_link_id: link.id });
        await made;
      }
    }),
  ];
  const other = payments.endpoints.create(caller, { url: `${url}/_sandbox/inbox/other` });
  await page.goto(`${url}/#/webhooks/${other.id}`);
  const ask = page.getByRole("button", { name: "What if it is down for three hours?" });
  await ask.waitFor();
  await page.waitForLoadState("networkidle");
  figures.push(
    await measured(
      "an outage of three hours that is played, a frame of the page on average",
      { of: mean, most: MOST_PLAYED_MS },
      async () => {
        await ask.click();
        await page.getByRole("status", { name: "Outage" }).waitFor({ timeout: PLAYED_MS });
      },
    ),
  );
  await page.goto(`${url}/#/webhooks/${webhook.id}`);
  await page.locator(".stage .mark").first().waitFor();
  await show(7);
  await page.getByText(/older attempts?: scroll/).waitFor({ state: "detached" });
  await show(1);
  figures.push(
    await figure("panning a day", () => turnWheel(page, { deltaX: -60 })),
    await figure("zooming from a day to minutes and back", async () => {
      await turnWheel(page, { deltaY: -40 });
      await turnWheel(page, { deltaY: 40 });
    }),
  );
  await browser.close();
  await close();
  return figures;
}

/** Pans by turning the wheel sideways, and zooms by turning it with Ctrl. */
async function turnWheel(page: Page, { deltaX = 0, deltaY = 0 }): Promise<void> {
  const { x, y, width, height } = (await page.locator(".stage").boundingBox())!;
  await page.mouse.move(x + width * 0.7, y + height * 0.7);
  if (deltaY !== 0) await page.keyboard.down("Control");
  for (let turn = 0; turn < TURNS; turn += 1) {
    await page.mouse.wheel(deltaX, deltaY);
    await page.evaluate("new Promise((resolve) => requestAnimationFrame(resolve))");
  }
  if (deltaY !== 0) await page.keyboard.up("Control");
}

/** An event in Chromium's trace. Times are in microseconds; `tdur` is CPU time. */
interface TraceEvent {
  name: string;
  ph: string;
  ts: number;
  dur?: number;
  tdur?: number;
  pid: number;
  tid: number;
  args: { name?: string };
}

async function traceOf(browser: Browser, page: Page, work: () => Promise<void>): Promise<TraceEvent[]> {
  const categories = ["toplevel", "devtools.timeline", "disabled-by-default-devtools.timeline"];
  await browser.startTracing(page, { categories });
  await work();
  return (JSON.parse((await browser.stopTracing()).toString()) as { traceEvents: TraceEvent[] }).traceEvents;
}

/** The time of each frame in milliseconds: all tasks of the main thread from the previous frame until its commit. */
function framesOf(events: readonly TraceEvent[]): { cpu: number[]; wall: number[] } {
  const commitsOf = (thread: readonly TraceEvent[]) => thread.filter(({ name }) => name === "Commit");
  const busiest = events
    .filter(({ name, args }) => name === "thread_name" && args.name === "CrRendererMain")
    .map((main) => events.filter(({ pid, tid }) => pid === main.pid && tid === main.tid))
    .sort((a, b) => commitsOf(b).length - commitsOf(a).length)[0]!
    .sort((a, b) => a.ts - b.ts);
  const commits = commitsOf(busiest).map(({ ts }) => ts);
  const all: { cpu: number; wall: number }[] = [];
  let frame = { cpu: 0, wall: 0 };
  for (const { name, ph, ts, dur = 0, tdur = 0 } of busiest) {
    if (name !== "ThreadControllerImpl::RunTask" || ph !== "X") continue;
    frame.cpu += tdur / 1_000;
    frame.wall += dur / 1_000;
    if (commits[0] === undefined || commits[0] >= ts + dur) continue;
    while (commits[0] !== undefined && commits[0] < ts + dur) commits.shift();
    all.push(frame);
    frame = { cpu: 0, wall: 0 };
  }
  const busy = all.filter(({ cpu }) => cpu >= IDLE_MS);
  return { cpu: busy.map(({ cpu }) => cpu), wall: busy.map(({ wall }) => wall) };
}

const mean = (values: number[]): number => values.reduce((sum, one) => sum + one, 0) / values.length;

const at95 = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
