import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Serious findings of axe-core on a page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Once for each document: what is compiled already runs faster.
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(AXE);
  return page.evaluate(async () => {
    // Only violations are worked out in full: what passes takes most of the time on a large page.
    // biome-ignore lint/suspicious/noExplicitAny: axe puts itself on the page's globals
    const { violations } = await (globalThis as any).axe.run({ resultTypes: ["violations"] });
    return violations
      .filter(({ impact }: { impact: string }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }: { id: string; nodes: { html: string }[] }) => `${id}: ${nodes[0]?.html}`);
  });
}

/** How much wider than the window a page is, in pixels. */
export async function overflow(page: Page): Promise<number> {
  const [content, window] = (await page.evaluate("[document.documentElement.scrollWidth, innerWidth]")) as [
    number,
    number,
  ];
  return Math.max(0, content - window);
}
