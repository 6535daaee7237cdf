import { effect } from "@preact/signals";
import { toMs } from "../format.ts";
import { href, type Route, type Router } from "../router.ts";
import type { TimelineModel } from "./timeline.ts";

/** A gesture ends after this many milliseconds without movement. */
const REST_MS = 250;

/** The URL parameters of a timeline that was panned or zoomed. */
type Place = Record<"from" | "to", string | undefined>;

const NOWHERE: Place = { from: undefined, to: undefined };

const placeOf = ({ query }: Route): Place => ({
  from: query.get("from") ?? undefined,
  to: query.get("to") ?? undefined,
});

const isSame = (one: Place, other: Place) => one.from === other.from && one.to === other.to;

/** Formats an instant for the URL; undefined if it is outside the calendar's range. */
function instant(at: number): string | undefined {
  const time = new Date(Math.round(at));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/**
 * Synchronizes the visible period of a timeline with the URL.
 * @returns a function that stops this
 */
export function linkTimeline(router: Router, { webhookId, view }: TimelineModel): () => void {
  let written = NOWHERE;
  let seen: Route | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isHere = ({ view: name, parts }: Route) => name === "webhooks" && parts[0] === webhookId;

  function write(place: Place): void {
    const route = router.route.peek();
    if (!isHere(route)) return;
    written = place;
    if (isSame(placeOf(route), place)) return;
    const others = Object.fromEntries(route.query);
    router.replace(href([route.view, ...route.parts], { ...others, ...place }));
  }

  const stop = effect(() => {
    const route = router.route.value;
    const asked = placeOf(route);
    const arrived = route !== seen && isHere(route) && !isSame(asked, written);
    seen = route;
    const stretch = { from: toMs(asked.from ?? ""), to: toMs(asked.to ?? "") };
    // Links within the page do not specify a period, so the view stays as it is.
    if (arrived && stretch.to > stretch.from) view.show(stretch, true);
    const { from, to } = view.time.value;
    const place = view.fitting.value ? NOWHERE : { from: instant(from), to: instant(to) };
    clearTimeout(timer);
    timer = setTimeout(() => write(place), REST_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
