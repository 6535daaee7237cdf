import { DAY, formatDuration, HOUR, MINUTE, SECOND } from "../world/duration.ts";
import { xmlSafe } from "./xml.ts";

const CONTROLS = /[\p{Cc}\u2028\u2029]/gu;
/** They turn the direction of what stands around them; without them, text still reads in its own direction. */
const TURNS = /[\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/g;
const LINE_ENDS = /\r\n|[\r\n\u2028\u2029]/;

/** One line of text with nothing in it that a terminal or a page would obey. */
export function plain(text: string): string {
  return xmlSafe(text.replace(CONTROLS, "·").replace(TURNS, ""));
}

/** Text of several lines, each as `plain` has it. */
export function plainLines(text: string): string[] {
  return text.split(LINE_ENDS).map((line) => plain(line.replaceAll("\t", "  ")));
}

/** The beginning of a text that is longer than so many characters. */
export function clip(text: string, length: number): string {
  if (text.length <= length) return text;
  // Half of a pair at the end is no character.
  return `${text.slice(0, length - 1).replace(/[\ud800-\udbff]$/, "")}…`;
}

/** `1 step`, `12,000 steps`. */
export function count(value: number, one: string, many = `${one}s`): string {
  const grouped = String(value).replace(/\B(?=(\d{3})+$)/g, ",");
  return `${grouped} ${value === 1 ? one : many}`;
}

/** A virtual instant: `2026-01-15 09:00:00`, with milliseconds where there are any. */
export function instant(iso: string): string {
  return iso.replace("T", " ").replace(/(?:\.000)?Z$/, "");
}

/** Virtual milliseconds from one instant to another. */
export const between = (from: string, to: string): number => Date.parse(to) - Date.parse(from);

/** A length of time in its two largest units: `9 d 3 h`, `1 m 30 s`. */
export function roughly(ms: number): string {
  const unit = ms >= DAY ? HOUR : ms >= HOUR ? MINUTE : SECOND;
  return formatDuration(ms < MINUTE ? ms : Math.floor(ms / unit) * unit);
}

/** Real time: `340 ms`, `4.1 s`, `2 m 5 s`. */
export function wallText(ms: number): string {
  if (ms < SECOND || ms >= MINUTE) return formatDuration(ms);
  return `${(ms / SECOND).toFixed(1)} s`;
}

/** Where in a file: `scenarios/retries.ts:12:7`. */
export function positionText({ file, line, column }: { file: string; line: number; column: number }): string {
  return `${file}:${line}:${column}`;
}
