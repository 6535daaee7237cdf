import { invalidDuration, invalidTime } from "../errors/errors.ts";

type DurationUnit = "d" | "h" | "min" | "m" | "s" | "ms";
type DurationPart = `${number}${DurationUnit}`;

/**
 * A length of time: `30s`, `10m`, `1h30m`, `2d`, `PT1H`, or milliseconds. For a string built at run time, use `text as
 * Duration`.
 * @example
 * const wait: Duration = "1h30m";
 */
export type Duration =
  | number
  | DurationPart
  | `${DurationPart}${DurationPart}`
  | `${DurationPart}${DurationPart}${DurationPart}`
  | `P${string}`;

export const SECOND = 1_000;
export const MINUTE = 60 * SECOND;
export const HOUR = 60 * MINUTE;
export const DAY = 24 * HOUR;

/**
 * The last instant that the clock can reach: the end of the year 9999, the last year that ISO 8601 writes with four digits.
 */
export const LAST_INSTANT = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

const UNITS: Record<string, number> = { ms: 1, s: SECOND, min: MINUTE, m: MINUTE, h: HOUR, d: DAY };
const SHORT = /^(?:\d+(?:\.\d+)?(?:ms|s|min|m|h|d))+$/;
const PART = /(\d+(?:\.\d+)?)(ms|s|min|m|h|d)/g;
const ISO =
  /^P(?:(\d+(?:\.\d+)?)W)?(?:(\d+(?:\.\d+)?)D)?(?:T(?=\d)(?:(\d+(?:\.\d+)?)H)?(?:(\d+(?:\.\d+)?)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
const HINT = "Try 30s, 10m, 1h30m, 2d or PT1H, or a whole number of milliseconds.";

/**
 * Parses a length of time: `500ms`, `30s`, `10m`, `1h30m`, `2d`, ISO 8601 (`PT1H`, `P1DT2H`), or milliseconds. Zero is
 * allowed.
 * Months and years are not, because their length varies.
 * @param or alternatives for the value, for the message
 * @returns milliseconds, a whole number
 * @throws SandboxError `invalid_duration`
 */
export function parseDuration(value: unknown, or = ""): number {
  const text = typeof value === "string" ? value.trim() : "";
  const ms = typeof value === "number" ? value : fromText(text);
  if (!Number.isFinite(ms) || ms < 0 || ms > LAST_INSTANT) {
    throw invalidDuration(
      ms > LAST_INSTANT
        ? `${shown(value)} is longer than a duration can be: ${Math.floor(LAST_INSTANT / DAY)} days.`
        : `${shown(value)} is not a duration${or}.`,
      ms < 0 || text.startsWith("-") ? `A duration cannot be negative. ${HINT}` : HINT,
    );
  }
  return Math.round(ms);
}

function fromText(text: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  if (SHORT.test(text)) {
    let total = 0;
    for (const [, amount, unit] of text.matchAll(PART)) total += Number(amount) * UNITS[unit!]!;
    return total;
  }
  const iso = ISO.exec(text.toUpperCase());
  if (!iso || text.length < 3) return Number.NaN;
  const [, weeks, days, hours, minutes, seconds] = iso.map((part) => Number(part ?? 0));
  return weeks! * 7 * DAY + days! * DAY + hours! * HOUR + minutes! * MINUTE + seconds! * SECOND;
}

const ISO_INSTANT =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/i;

/**
 * Reads an instant as ISO 8601 (`2026-01-15`, `2026-01-15T09:30:00Z`, with any offset; without an offset, it is UTC).
 * @returns milliseconds since the epoch, or undefined if the text is not an instant (such as 30 February)
 */
export function readInstant(value: unknown): number | undefined {
  if (typeof value !== "string") return undefined;
  const text = value.trim();
  const parts = ISO_INSTANT.exec(text);
  if (!parts) return undefined;
  const [year, month, day] = parts.slice(1, 4).map(Number) as [number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const zoned = /(?:Z|[+-]\d{2}:?\d{2})$/i.test(text.slice(10)) || text.length === 10;
  const ms = Date.parse((zoned ? text : `${text}Z`).replace(" ", "T"));
  return Number.isNaN(ms) || ms < 0 || ms > LAST_INSTANT ? undefined : ms;
}

/** Like `readInstant`, but also accepts milliseconds since the epoch as digits, for queries. */
export function readMoment(text: string): number | undefined {
  if (!/^\d{1,15}$/.test(text)) return readInstant(text);
  const ms = Number(text);
  return ms > LAST_INSTANT ? undefined : ms;
}

/** An instant as ISO 8601 or as milliseconds since the epoch. @throws SandboxError `invalid_time` */
export function parseInstant(value: unknown): number {
  const ms = typeof value === "number" ? value : readInstant(value);
  if (ms === undefined || !Number.isInteger(ms) || ms < 0 || ms > LAST_INSTANT) {
    throw invalidTime(
      `${shown(value)} is not a point in time between 1970 and 9999.`,
      "Write it as ISO 8601, for example 2026-01-15T09:30:00Z.",
    );
  }
  return ms;
}

/** An instant as every API writes it: ISO 8601 with milliseconds, in UTC. */
export function iso(ms: number): string {
  return new Date(ms).toISOString();
}

/** Like `iso`, but null for an instant that does not exist. */
export function isoOrNull(ms: number | null | undefined): string | null {
  return ms === null || ms === undefined ? null : iso(ms);
}

function shown(value: unknown): string {
  const text =
    JSON.stringify(value, (_, item) => (typeof item === "bigint" ? `${item}n` : item)) ?? String(value);
  return text.length > 60 ? `${text.slice(0, 57)}…` : text;
}
