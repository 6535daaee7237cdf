export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

const UNITS: readonly (readonly [unit: string, length: number])[] = [
  ["d", DAY],
  ["h", HOUR],
  ["min", MINUTE],
  ["s", SECOND],
];

/**
 * A human-readable duration: `450 ms`, `4.1 s`, `1 min 30 s`, `1 h 10 min`.
 * @param units the maximum number of units, starting with the largest; the rest is cut off
 */
export function formatDuration(ms: number, units = UNITS.length): string {
  if (Math.round(ms) < SECOND) return `${Math.round(ms)} ms`;
  const tenths = Math.round(ms / 100) / 10;
  if (tenths * SECOND < MINUTE) return `${tenths} s`;
  let rest = Math.round(ms / SECOND) * SECOND;
  const counts = UNITS.map(([unit, length]) => {
    const count = Math.floor(rest / length);
    rest -= count * length;
    return { count, unit };
  });
  const first = counts.findIndex(({ count }) => count > 0);
  return counts
    .slice(first, first + units)
    .filter(({ count }) => count > 0)
    .map(({ count, unit }) => `${count} ${unit}`)
    .join(" ");
}

/** A short duration: `9 d 3 h`, `1 min 30 s`. */
export const roughly = (ms: number): string => formatDuration(ms, 2);
