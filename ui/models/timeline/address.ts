import { effect } from "@preact/signals";
import { toMs } from "../format.ts";
import { href, type Route, type Router } from "../router.ts";
import type { TimelineModel } from "./timeline.ts";

/** A gesture is over when nothing has moved for so long, milliseconds. */
const REST_MS = 250;

/** What the address says of a timeline: `time=linear`, and `from` and `to` once it was panned or zoomed. */
type Place = Record<"time" | "from" | "to", string | undefined>;

const placeOf = ({ query }: Route): Place => ({
  time: query.get("time") ?? undefined,
  from: query.get("from") ?? undefined,
  to: query.get("to") ?? undefined,
});

const isSame = (one: Place, other: Place) =>
  one.time === other.time && one.from === other.from && one.to === other.to;

/** An instant in an address; nothing for one that is outside of the calendar. */
function instant(at: number): string | undefined {
  const time = new Date(Math.round(at));
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

/** Shows what the address of an endpoint says, and writes there what is shown. Returns the end of it. */
export function linkTimeline(router: Router, { webhookId, view, linear }: TimelineModel): () => void {
  let written: Place = { time: undefined, from: undefined, to: undefined };
  let seen: Route | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;

  const isHere = ({ view: name, parts }: Route) => name === "webhooks" && parts[0] === webhookId;

  function shown(): Place {
    const { from, to } = view.time.value;
    const stretch = view.fitting.value ? {} : { from: instant(from), to: instant(to) };
    return { time: linear.value ? "linear" : undefined, from: undefined, to: undefined, ...stretch };
  }

  function apply({ time, from, to }: Place): void {
    linear.value = time === "linear";
    const stretch = { from: toMs(from ?? ""), to: toMs(to ?? "") };
    if (stretch.to > stretch.from) view.show(stretch, true);
  }

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
    // A link within the page says nothing of the place: it stays.
    if (arrived && (asked.from || asked.time)) apply(asked);
    const place = shown();
    clearTimeout(timer);
    timer = setTimeout(() => write(place), REST_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
  };
}
