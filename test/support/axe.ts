import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { drawn, oddControls, type UiPage } from "./ui.ts";

const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")}
axe.configure({ rules: [{ id: "color-contrast", selector: "[data-new-look]" }] })`;

/**
 * Which rules a page is held to. Those of colours take half the time, and only they depend on the theme; few depend on
 * where things are, and only they on the width.
 */
type Rules = "all" | "colours" | "layout" | "colours and places";

/** Themes of what is on a page already, and the rules of each. */
export const THEMES = [
  ["light", "all"],
  ["dark", "colours"],
] as const;

const WIDE = { width: 1440, height: 900 };

/**
 * How each view is looked at, and by which rules. From one to the next little changes on the page; so the next view is
 * looked at the other way round.
 */
const LOOKS = [
  { look: "light", colorScheme: "light", size: WIDE, presents: false, rules: "all" },
  // Where things lie over each other is worked out once for colours and places.
  {
    look: "narrow",
    colorScheme: "dark",
    size: { width: 360, height: 740 },
    presents: false,
    rules: "colours and places",
  },
  { look: "dark", colorScheme: "dark", size: WIDE, presents: false, rules: "colours" },
  // Only the bars around a view are others than before, so these rules are for the first view.
  { look: "presenting", colorScheme: "dark", size: WIDE, presents: true, rules: "layout" },
] as const;

const COLOURS = ["color-contrast", "link-in-text-block"];
const FOCUS = ["scrollable-region-focusable", "aria-hidden-focus"];

const only = (...values: string[]) => `{ runOnly: ${JSON.stringify(values)} }`;
const without = (...ids: string[]) => `{ rules: without(${JSON.stringify(ids)}) }`;
const CHOICES: Record<Rules, string> = {
  all: without(),
  layout: without(...COLOURS),
  colours: only(...COLOURS),
  "colours and places": only(...COLOURS, "target-size", ...FOCUS),
};

/**
 * Runs in the page. Whether a text can be read depends on its colour, on whether it is large (WCAG 1.4.3: 24 px, bold
 * 18.66 px), and on what is painted behind it: of texts that have all of these in common, on whichever page, one is
 * looked at. A list has hundreds. axe does not judge a single character.
 */
const MARK_NEW_LOOKS = `
  const looks = new Set(known);
  const painted = new Map();
  const behind = (element) => {
    if (!element) return "";
    if (!painted.has(element)) {
      const { backgroundColor, backgroundImage, opacity, filter } = getComputedStyle(element);
      const own = [backgroundColor, backgroundImage, opacity, filter].join();
      const paints = own !== "rgba(0, 0, 0, 0),none,1,none";
      painted.set(element, (paints ? own : "") + behind(element.parentElement));
    }
    return painted.get(element);
  };
  for (const element of document.querySelectorAll("body, body *")) {
    element.removeAttribute("data-new-look");
    const isText = ({ nodeType, data }) => nodeType === 3 && data.trim().length > 1;
    if (!element.matches("input, select, textarea") && ![...element.childNodes].some(isText)) continue;
    if (!element.closest(within) || !element.checkVisibility({ visibilityProperty: true })) continue;
    const { color, fontSize, fontWeight, textShadow } = getComputedStyle(element);
    const isLarge = Number.parseFloat(fontSize) >= (Number(fontWeight) >= 700 ? 18.66 : 24);
    const look = [color, isLarge, textShadow, behind(element)].join();
    if (!looks.has(look)) element.setAttribute("data-new-look", "");
    looks.add(look);
  }`;

/** The looks of texts on all pages of this worker. */
let known: string[] = [];

/**
 * Serious findings of axe-core on a page.
 * @param within a selector of the part that is looked at: all of the page takes seconds
 */
export async function seriousFindings(page: Page, rules: Rules = "all", within = "html"): Promise<string[]> {
  // Once for each document: what is compiled already runs faster.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const { findings, looks } = (await page.evaluate(`(async (within, known) => {
    ${rules === "layout" ? "const looks = known;" : MARK_NEW_LOOKS}
    if (${rules === "colours"} && [...looks].length === known.length) return { findings: [], looks: known };
    const isSerious = ({ impact }) => impact === "serious" || impact === "critical";
    const milder = axe._audit.rules.filter((rule) => !isSerious(rule)).map(({ id }) => id);
    const without = (ids) => Object.fromEntries(milder.concat(ids).map((id) => [id, { enabled: false }]));
    const { violations } = await axe.run(within, {
      // What passes is not worked out in full. Files are loaded ahead for milder rules alone.
      resultTypes: ["violations"],
      preload: false,
      // A report in the page is another document, with its own tests.
      iframes: false,
      ...${CHOICES[rules]},
    });
    const findings = violations.filter(isSerious).map(({ id, nodes }) => id + ": " + nodes[0]?.html);
    return { findings, looks: [...looks] };
  })(${JSON.stringify(within)}, ${JSON.stringify(known)})`)) as { findings: string[]; looks: string[] };
  known = looks;
  return findings;
}

/** How much wider than the window a page is, in pixels. */
export async function overflow(page: Page): Promise<number> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  return Math.max(0, content - window);
}

/** Whether the bars and the navigation were looked at, with the first of all views: around every other they are the same. */
let seenWhole = false;

/**
 * A view breaks no serious rule of access, is as wide as its window, and has controls of the common sizes, in each look:
 * theme, width and presentation change under the open view, as they do for a user.
 */
export async function expectFit(opened: UiPage, view: string): Promise<void> {
  const { page, shot } = opened;
  const isFirst = !seenWhole;
  seenWhole = true;
  const within = isFirst ? "html" : "main";
  const isPresenting = await page.evaluate("'presenting' in document.documentElement.dataset");
  for (const { look, colorScheme, size, presents, rules } of isPresenting ? LOOKS.toReversed() : LOOKS) {
    if (presents !== (await page.evaluate("'presenting' in document.documentElement.dataset")))
      await page.evaluate("document.activeElement.blur()").then(() => page.keyboard.press("f"));
    // One frame for both: each is a window of its own to lay out and draw.
    await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(size)]);
    // What depends on the width is drawn once the window's new size was observed.
    await drawn(page);
    await shot(`ui-${view}-${look}`);
    if (isFirst || !presents) {
      const findings = await seriousFindings(page, rules, within);
      expect({ view, look, findings }).toEqual({ view, look, findings: [] });
    }
    // Neither depends on the colours.
    if (look === "dark") continue;
    const fit = { overflow: await overflow(page), odd: await oddControls(page) };
    expect({ view, look, ...fit }).toEqual({ view, look, overflow: 0, odd: [] });
  }
}
