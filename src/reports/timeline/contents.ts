import type { Thread } from "../../story/lanes.ts";
import { clip, plain } from "../../story/text.ts";
import type { Excerpt } from "./excerpt.ts";

/** What a drawing of a timeline has on it, whatever it is drawn with. */

const CAPTION_LENGTH = 34;

/** Everything that has a place on the axis. */
export function instantsOf(
  { timeline: { forecast }, marks, changes, since }: Excerpt,
  now: number,
): number[] {
  return [
    now,
    ...(Number.isFinite(since) ? [since] : []),
    ...marks.flatMap(({ at, end }) => [at, end]),
    ...changes.map(({ at }) => Date.parse(at)),
    ...(forecast.disabled_at === null ? [] : [Date.parse(forecast.disabled_at)]),
  ];
}

/** An event is named by its type; of several, the end of the id tells them apart. */
export function captionsOf(marks: Excerpt["marks"]): (thread: Thread) => string {
  const several = new Set(marks.map(({ eventId }) => eventId)).size > 1;
  return ({ event, eventId }) => {
    const name = clip(event, CAPTION_LENGTH);
    return several ? `${name} …${plain(eventId.slice(-4))}` : name;
  };
}
