import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { TestPage } from "./browser.ts";
import { oddControls } from "./ui.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/**
 * Which rules a page is held to. Those of colours take half the time, and only they depend on the theme; few depend on
 * where things are, and only they on the width.
 */
type Rules = "all" | "colours" | "layout" | "places";

/** Themes of what is on a page already, and the rules of each. */
export const THEMES = [
  ["light", "all"],
  ["dark", "colours"],
] as const;

const WIDE = { width: 1440, height: 900 };

/** How each view is looked at, and by which rules. */
const LOOKS = [
  ["light", "light", WIDE, "all"],
  ["dark", "dark", WIDE, "colours"],
  ["narrow", "light", { width: 360, height: 740 }, "places"],
] as const;

/** A view that presents is looked at once: its colours are those of the dark look. */
const PRESENTING = [["presenting", "dark", WIDE, "layout"]] as const;

/** How pages are opened whose views are looked at. */
export const OPENED = [
  ["light, dark and narrow", { presenting: false }],
  ["presenting", { presenting: true }],
] as const;

const CHOICES: Record<Rules, object> = {
  all: {},
  colours: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
  layout: { rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } } },
  places: {
    runOnly: { type: "rule", values: ["target-size", "scrollable-region-focusable", "aria-hidden-focus"] },
  },
};

/**
 * Serious findings of axe-core on a page.
 * @param within a selector of the part that is looked at: all of the page takes seconds
 */
export async function seriousFindings(page: Page, rules: Rules = "all", within = "html"): Promise<string[]> {
  // Once for each document: what is compiled already runs faster.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate(
    async ([choice, part]) => {
      // Only violations are worked out in full: what passes takes most of the time on a large page.
      // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the page's globals
      const { violations } = await (globalThis as any).axe.run(part, {
        resultTypes: ["violations"],
        ...choice,
      });
      return violations
        .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
    },
    [CHOICES[rules], within] as const,
  );
}

/** How much wider than the window a page is, in pixels. */
export async function overflow(page: Page): Promise<number> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  return Math.max(0, content - window);
}

/**
 * A view breaks no serious rule of access, is as wide as its window, and has controls of the common sizes, in each look:
 * theme and width change under the open view, as they do for a user.
 */
export async function expectFit(
  { page, shot }: TestPage,
  view: string,
  { presenting }: { presenting: boolean },
): Promise<void> {
  for (const [look, colorScheme, size, rules] of presenting ? PRESENTING : LOOKS) {
    await page.emulateMedia({ colorScheme });
    await page.setViewportSize(size);
    // What depends on the width is drawn once the window's new size was observed.
    await page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))");
    await shot(`ui-${view}-${look}`);
    expect({ view, look, findings: await seriousFindings(page, rules) }).toEqual({
      view,
      look,
      findings: [],
    });
    expect({ view, look, overflow: await overflow(page) }).toEqual({ view, look, overflow: 0 });
    expect({ view, look, odd: await oddControls(page) }).toEqual({ view, look, odd: [] });
  }
}
