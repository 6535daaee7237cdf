import type { Webhook } from "../api-types.ts";
import { timeText } from "./format.ts";

/** The state that the title and the icon of the browser tab show. */
export interface TabState {
  view: string | undefined;
  /** The virtual time in milliseconds. */
  now: number;
  running: boolean;
  failing: number;
}

/** The number of the user's own endpoints that are disabled or have failed since their last success. */
export const failingCount = (endpoints: readonly Webhook[]): number =>
  endpoints.filter(({ seeded, status, consecutive_failures: failures }) => {
    return !seeded && (status !== "enabled" || failures > 0);
  }).length;

/** The title of the browser tab: `09:10 paused · 1 failing · Webhooks · Sandglass`. */
export function tabTitle({ view, now, running, failing }: TabState): string {
  const time = `${timeText(now).slice(0, 5)}${running ? "" : " paused"}`;
  return [time, failing > 0 && `${failing} failing`, view, "Sandglass"].filter(Boolean).join(" · ");
}

/** The hourglass icon: red while an endpoint is failing, with two bars while the clock is paused. */
export function tabIcon({ running, failing }: Pick<TabState, "running" | "failing">): string {
  const colour = failing > 0 ? "#b3312a" : "#c98a1b";
  const bars = running ? "" : `<path d="M9.5 9h2v7h-2zM13 9h2v7h-2z" fill="#75858b"/>`;
  const glass = `<path d="M3 1h10v2L9.5 8l3.5 5v2H3v-2l3.5-5L3 3z" fill="${colour}"/>`;
  const image = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16">${glass}${bars}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(image)}`;
}
