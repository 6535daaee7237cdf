import { DAY, HOUR, MINUTE } from "../format.ts";
import type { Mark } from "./marks.ts";

export interface Stretch {
  from: number;
  to: number;
}

/** Attempts further apart than this belong to different episodes. */
const EPISODE_GAP = 90 * MINUTE;
const LONGEST = DAY;
const SHORTEST = 12 * MINUTE;

/**
 * The stretch of time that tells what goes on: from the first attempt of what is still open to the last that may
 * come; or else the latest episode, up to now. Its ends are rounded, so that it stays put while the clock runs.
 */
export function fitTo(marks: Mark[], now: number): Stretch {
  const open = new Set(marks.filter(({ kind }) => kind === "planned").map(({ eventId }) => eventId));
  const attempts = marks.filter(({ kind }) => kind === "attempt");
  let from = now - 10 * MINUTE;
  let to = now + 10 * MINUTE;
  if (open.size > 0) {
    from = episodeStart(attempts, Math.min(...first(marks, open), now));
    to = Math.max(now, marks.at(-1)!.at);
  } else if (attempts.length > 0 && now - attempts.at(-1)!.end < HOUR * 3) {
    from = episodeStart(attempts, attempts.at(-1)!.at);
    to = Math.max(now, attempts.at(-1)!.end);
  }
  return rounded(Math.max(from, to - LONGEST), to);
}

function* first(marks: Mark[], open: Set<string>): Generator<number> {
  for (const { eventId, at } of marks) if (open.has(eventId)) yield at;
}

/** Goes back from an instant as long as attempts follow each other closely. */
function episodeStart(attempts: Mark[], instant: number): number {
  let start = instant;
  for (let index = attempts.length - 1; index >= 0; index -= 1) {
    const { at, end } = attempts[index]!;
    if (at >= start) continue;
    if (start - end > EPISODE_GAP) break;
    start = at;
  }
  return start;
}

function rounded(from: number, to: number): Stretch {
  const span = Math.max(to - from, SHORTEST);
  const unit = span > 6 * HOUR ? 30 * MINUTE : span > HOUR ? 5 * MINUTE : MINUTE;
  const pad = Math.max(span * 0.06, MINUTE);
  return { from: Math.floor((from - pad) / unit) * unit, to: Math.ceil((from + span + pad) / unit) * unit };
}
