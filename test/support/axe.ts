import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";
import { expect } from "vitest";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Which rules a page is held to: those of colours take half the time, and only they depend on the theme. */
type Rules = "all" | "colours" | "layout";

/** How a view is looked at, and by which rules. */
export const LOOKS = [
  ["light", { colorScheme: "light" }, "all"],
  ["dark", { colorScheme: "dark" }, "colours"],
  ["narrow", { colorScheme: "light", width: 360, height: 740 }, "layout"],
  ["presenting", { colorScheme: "dark", presenting: true }, "layout"],
] as const;

const CHOICES: Record<Rules, object> = {
  all: {},
  colours: { runOnly: { type: "rule", values: ["color-contrast", "link-in-text-block"] } },
  layout: { rules: { "color-contrast": { enabled: false }, "link-in-text-block": { enabled: false } } },
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

/** A view breaks no serious rule of access, and is as wide as its window. */
export async function expectFit(page: Page, view: string, rules: Rules): Promise<void> {
  expect({ view, findings: await seriousFindings(page, rules) }).toEqual({ view, findings: [] });
  expect({ view, overflow: await overflow(page) }).toEqual({ view, overflow: 0 });
}
