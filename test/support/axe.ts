import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import { drawn, oddControls, type UiPage } from "./ui.ts";

const AXE = `${readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")}
axe.configure({ rules: [{ id: "color-contrast", selector: "[data-new-look]" }] })`;

/**
 * Which rules to check on a page. The rules about colours take half the time, and only they depend on the theme. A few
 * rules depend on positions, and only they depend on the width.
 */
type Rules = "all" | "colours" | "layout" | "colours and places";

/** The themes in which to check a page that is already open, each with its rules. */
export const THEMES = [
  ["light", "all"],
  ["dark", "colours"],
] as const;

const WIDE = { width: 1440, height: 900 };

/**
 * The variants in which each view is checked, each with its rules. Adjacent variants differ little, and every second
 * view goes through them in reverse order.
 */
const LOOKS = [
  { look: "light", colorScheme: "light", size: WIDE, presents: false, rules: "all" },
  // Checking colours and positions together means that overlaps are computed only once.
  {
    look: "narrow",
    colorScheme: "dark",
    size: { width: 360, height: 740 },
    presents: false,
    rules: "colours and places",
  },
  { look: "dark", colorScheme: "dark", size: WIDE, presents: false, rules: "colours" },
  // Only the bars around a view change here, so these rules are checked only for the first view.
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
 * Runs in the page. Whether a text is readable depends on its colour, on whether it is large (WCAG 1.4.3: 24 px, or
 * bold 18.66 px), and on what is painted behind it. Only one text per combination is checked across all pages, because
 * a list contains hundreds of them. axe does not judge single characters.
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

/** The combinations that this worker has already checked on any page. */
let known: string[] = [];

/**
 * Serious findings of axe-core on a page.
 * @param within a selector for the part to check, because checking the whole page takes seconds
 */
export async function seriousFindings(page: Page, rules: Rules = "all", within = "html"): Promise<string[]> {
  // Inject it only once per document, because code that is already compiled runs faster.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  const { findings, looks } = (await page.evaluate(`(async (within, known) => {
    ${rules === "layout" ? "const looks = known;" : MARK_NEW_LOOKS}
    if (${rules === "colours"} && [...looks].length === known.length) return { findings: [], looks: known };
    const isSerious = ({ impact }) => impact === "serious" || impact === "critical";
    const milder = axe._audit.rules.filter((rule) => !isSerious(rule)).map(({ id }) => id);
    const without = (ids) => Object.fromEntries(milder.concat(ids).map((id) => [id, { enabled: false }]));
    const { violations } = await axe.run(within, {
      // Report only violations, and do not preload files, which only the less severe rules need.
      resultTypes: ["violations"],
      preload: false,
      // A report on the page is a separate document, which has its own tests.
      iframes: false,
      ...${CHOICES[rules]},
    });
    const findings = violations.filter(isSerious).map(({ id, nodes }) => id + ": " + nodes[0]?.html);
    return { findings, looks: [...looks] };
  })(${JSON.stringify(within)}, ${JSON.stringify(known)})`)) as { findings: string[]; looks: string[] };
  known = looks;
  return findings;
}

/** How many pixels wider than the window a page is. */
export async function overflow(page: Page): Promise<number> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  return Math.max(0, content - window);
}

/**
 * Whether the bars and the navigation have been checked along with the first view. They are the same around every other
 * view.
 */
let seenWhole = false;

/**
 * Checks that a view violates no serious accessibility rule, is as wide as its window, and has controls of the usual
 * sizes, in each variant. Theme, width and presentation mode change while the view is open, as they do for a user.
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
    // Change both in one frame, because each change causes a new layout and drawing.
    await Promise.all([page.emulateMedia({ colorScheme }), page.setViewportSize(size)]);
    // Elements that depend on the width are redrawn once the page has noticed its new size.
    await drawn(page);
    await shot(`ui-${view}-${look}`);
    if (isFirst || !presents) {
      const findings = await seriousFindings(page, rules, within);
      expect({ view, look, findings }).toEqual({ view, look, findings: [] });
    }
    // Neither of these checks depends on the colours.
    if (look === "dark") continue;
    const fit = { overflow: await overflow(page), odd: await oddControls(page) };
    expect({ view, look, ...fit }).toEqual({ view, look, overflow: 0, odd: [] });
  }
}
