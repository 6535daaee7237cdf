import type { Page } from "playwright-core";

/* The picture of an endpoint, in one file: what is drawn, where, and what moves. */

/** The visible period, in words. */
export const stretch = (page: Page) =>
  page.getByRole("slider", { name: "Visible time range" }).getAttribute("aria-valuetext");
