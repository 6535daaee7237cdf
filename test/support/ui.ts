import type { Locator, Page } from "playwright-core";
import { openPage, type TestPage } from "./browser.ts";

/** Nothing in the page takes longer; so a mistake says where it is, before the test's own time is up. */
const ACTION_MS = 15_000;

export interface UiPage extends TestPage {
  /** What went wrong in the page: errors, and warnings of the browser. */
  problems: string[];
  clock: Locator;
  button(name: string | RegExp): Locator;
  link(name: string | RegExp): Locator;
  heading(name: string | RegExp): Locator;
  /** Opens a menu by its id. */
  menu(id: string): Promise<void>;
  fill(label: string | RegExp, text: string): Promise<void>;
  /** Goes to a view by its address. */
  go(hash: string): Promise<void>;
}

/** Opens Sandglass's own page at a place, in a real browser. */
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
  page.getByText("connected", { exact: true }).waitFor({ timeout: 15_000 });

/** Waits until nothing is being read any more. */
export async function settled(page: Page): Promise<void> {
  await page.waitForLoadState("networkidle");
  await page.locator("main .loading").first().waitFor({ state: "detached" });
}

/** Everything that can be pressed or filled in, but for texts that are links, ticks, and what is drawn on a timeline. */
const CONTROLS =
  "button:not(.link, .skip, .stage *, .scrubber *), a.button, select, .choice-one span, .tabs a, input:not([type=checkbox], [type=radio])";

/** The visible controls that have another height or other corners than those of ui/style/tokens.css. */
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
      // Some are only there for screen readers, and some a browser has drawn over.
      if (!control.checkVisibility({ opacityProperty: true }) || width < 2) return [];
      if (heights.some((one) => Math.abs(one - height) < 0.6) && corners.includes(corner)) return [];
      return [`${height.toFixed(1)} px, corners of ${corner}: ${control.outerHTML.slice(0, 120)}`];
    });
  });
}
