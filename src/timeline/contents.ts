import type { Thread } from "./lanes.ts";
import type { Mark } from "./marks.ts";
import type { Timeline } from "./schemas.ts";
import { clip, plain } from "./text.ts";

/** Content shared by all timeline drawings. */

const CAPTION_LENGTH = 34;

/** An element with a position on the axis. */
export interface Placed {
  timeline: { forecast: Pick<Timeline["forecast"], "disabled_at"> };
  marks: readonly Pick<Mark, "at" | "end">[];
  changes: readonly { at: string }[];
  /** The start of the drawing, in virtual milliseconds; minus infinity for all of it. */
  since: number;
}

/** All instants with a position on the axis. */
export function instantsOf({ timeline: { forecast }, marks, changes, since }: Placed, now: number): number[] {
  return [
    now,
    ...(Number.isFinite(since) ? [since] : []),
    ...marks.flatMap(({ at, end }) => [at, end]),
    ...changes.map(({ at }) => Date.parse(at)),
    ...(forecast.disabled_at === null ? [] : [Date.parse(forecast.disabled_at)]),
  ];
}

/** Event captions: the event type, followed by the end of the id if several events have that type. */
export function captionsOf(
  marks: readonly Pick<Mark, "eventId">[],
): (thread: Pick<Thread, "event" | "eventId">) => string {
  const several = marks.some(({ eventId }) => eventId !== marks[0]!.eventId);
  return ({ event, eventId }) => {
    const name = clip(event, CAPTION_LENGTH);
    return several ? `${name} …${plain(eventId.slice(-4))}` : name;
  };
}
