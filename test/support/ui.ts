import type { Locator, Page, Request } from "playwright-core";
import { openPage, type TestPage } from "./browser.ts";
import { startSandbox } from "./sandbox.ts";

/**
 * A time limit that no action in the page reaches. If an action hangs, the error shows where, before the test itself
 * times out.
 */
const ACTION_MS = 60_000;

export interface UiPage extends TestPage {
  /** Errors in the page, and warnings from the browser. */
  problems: string[];
  clock: Locator;
  button(name: string | RegExp): Locator;
  link(name: string | RegExp): Locator;
  heading(name: string | RegExp): Locator;
  /** Opens the menu with the given id. */
  menu(id: string): Promise<void>;
  fill(label: string | RegExp, text: string): Promise<void>;
  /** Opens a view by its address. */
  go(hash: string): Promise<void>;
}

/** Opens Sandglass's own page at an address, in a real browser. */
export async function openUi(
  url: string,
  hash = "#/",
  options: Parameters<typeof openPage>[0] = {},
): Promise<UiPage> {
  const opened = await openPage({ width: 1440, ...options });
  const { page } = opened;
  page.setDefaultTimeout(ACTION_MS);
  const problems: string[] = [];
  page.on("pageerror", (error) => void problems.push(error.message));
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") problems.push(message.text());
  });
  followReads(page, problems);
  await page.addInitScript(MESSAGES_STAY);
  await page.goto(`${url}/${hash}`);
  await connected(page);
  return {
    ...opened,
    problems,
    clock: page.getByTestId("virtual-time"),
    button: (name) => page.getByRole("button", { name, exact: true }),
    link: (name) => page.getByRole("link", { name, exact: true }),
    heading: (name) => page.getByRole("heading", { name, exact: true }),
    menu: (id) => page.getByTestId(`menu-${id}`).click(),
    fill: (label, text) => page.getByLabel(label).fill(text),
    go: async (to) => {
      await page.evaluate((next) => {
        (globalThis as unknown as { location: { hash: string } }).location.hash = next;
      }, to);
      await settled(page);
    },
  };
}

export const connected = (page: Page): Promise<void> =>
  page.getByText("connected", { exact: true }).waitFor();

/**
 * Makes messages in the page stay ten times longer than usual (ui/models/toasts.ts), because a test on a busy machine
 * may be late to click on one.
 */
const MESSAGES_STAY = `{
  const { setTimeout } = window;
  window.setTimeout = (work, ms, ...rest) => setTimeout(work, ms === 6_000 || ms === 12_000 ? 10 * ms : ms, ...rest);
}`;

/** The number of requests that a page has started, the number of requests in progress, and the errors in the page. */
const reads = new WeakMap<Page, { begun: number; open: Set<Request>; problems: readonly string[] }>();

function followReads(page: Page, problems: readonly string[]): void {
  const read = { begun: 0, open: new Set<Request>(), problems };
  reads.set(page, read);
  page.on("request", (request) => {
    read.begun += 1;
    read.open.add(request);
  });
  page.on("requestfinished", (request) => void read.open.delete(request));
  page.on("requestfailed", (request) => void read.open.delete(request));
}

/** Waits until no requests are in progress and none has been made for a few frames. */
export async function settled(page: Page): Promise<void> {
  const read = reads.get(page)!;
  let before: number;
  do {
    before = read.begun;
    await drawn(page, 4);
  } while (read.open.size > 0 || read.begun !== before);
  const loading = page.locator("main .loading").first();
  await loading.waitFor({ state: "detached" }).catch(async (cause: Error) => {
    const seen = [...read.problems, await page.locator("body").innerText()].join("\n");
    throw new Error(`Nothing is being read any more, and the page says that it reads:\n${seen}`, { cause });
  });
}

/** Waits for a number of frames. The second frame shows what was noticed after the first, such as a new size. */
export const drawn = (page: Page, frames = 2): Promise<void> =>
  page.evaluate(`new Promise((resolve) => {
    let left = ${frames};
    const draw = () => (left-- > 0 ? requestAnimationFrame(draw) : resolve());
    draw();
  })`);

/**
 * Everything that can be pressed or filled in, except for text links, checkboxes, and elements that are drawn on a
 * timeline.
 */
const CONTROLS =
  "button:not(.link, .skip, .stage *, .scrubber *), a.button, select, .choice-one span, .tabs a, input:not([type=checkbox], [type=radio])";

/** The visible controls whose height or corners differ from those in ui/style/tokens.css. */
export function oddControls(page: Page): Promise<string[]> {
  return page.locator(CONTROLS).evaluateAll((controls) => {
    const { getComputedStyle } = controls[0]!.ownerDocument.defaultView!;
    const root = getComputedStyle(controls[0]!.ownerDocument.documentElement);
    const rem = Number.parseFloat(root.fontSize);
    const heights = ["--control", "--control-dense"].map(
      (name) => Number.parseFloat(root.getPropertyValue(name)) * rem,
    );
    const corners = ["0px", ...["--round", "--pill"].map((name) => root.getPropertyValue(name))];
    return controls.flatMap((control) => {
      const { width, height } = control.getBoundingClientRect();
      const { borderTopLeftRadius: corner } = getComputedStyle(control);
      // Skip controls that only exist for screen readers, or that the browser draws differently.
      if (!control.checkVisibility({ opacityProperty: true }) || width < 2) return [];
      if (heights.some((one) => Math.abs(one - height) < 0.6) && corners.includes(corner)) return [];
      return [`${height.toFixed(1)} px, corners of ${corner}: ${control.outerHTML.slice(0, 120)}`];
    });
  });
}

/** Creates an endpoint with a failed payment that still has six retries ahead. */
export async function startFailing() {
  const sandbox = await startSandbox();
  const hook = await sandbox.createWebhook(`${sandbox.url}/_sandbox/inbox/shop`);
  await sandbox.createLink();
  await sandbox.control("PUT", `/webhooks/${hook.id}/fault`, { kind: "status", status: 503 });
  await sandbox.pay({ session_id: (await sandbox.openSession()).id });
  return { sandbox, hook };
}
