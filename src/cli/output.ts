import { stripVTControlCharacters, styleText } from "node:util";
import { readJson } from "../client/refusal.ts";
import { formatDuration } from "../timeline/duration.ts";
import { plainLines, wrap } from "../timeline/text.ts";

/** Whether to use colour and redraw lines: stdout is a terminal, and NO_COLOR is unset. */
function isHandsome(stream: Pick<NodeJS.WriteStream, "isTTY">): boolean {
  const { NO_COLOR, TERM } = process.env;
  return stream.isTTY === true && !NO_COLOR && TERM !== "dumb";
}

const COLORS = ["bold", "cyan", "dim", "green", "red", "yellow"] as const;

function colors(colored: boolean) {
  const color = (name: (typeof COLORS)[number]) => (text: string) =>
    colored ? styleText(name, text, { validateStream: false }) : text;
  const all = COLORS.map((name) => [name, color(name)]);
  return Object.fromEntries(all) as Record<(typeof COLORS)[number], (text: string) => string>;
}

export const handsome = isHandsome(process.stdout);
export const paint = colors(handsome);

/** Printed after a world is replaced. */
export const UNDO = paint.dim("To bring back the earlier world: npx sandglass undo");

/** An error for the terminal, with its hint below. */
export function paintError(message: string, hint = ""): string {
  const { dim, red } = colors(isHandsome(process.stderr));
  const [first = "", ...more] = message.split("\n").map(printable);
  const hints = hint === "" ? [] : hint.split("\n").map(printable);
  return [
    `${red("sandglass:")} ${first}`,
    ...more.map((line) => `  ${line}`),
    ...hints.map((line) => `  ${dim(line)}`),
  ]
    .map((line) => `${inRoom(line, process.stderr.columns)}\n`)
    .join("");
}

const CLEAR_LINE = "\r\u001b[K";

/** Prints a line, wrapped to the terminal's width. */
export function print(line: string): void {
  process.stdout.write(`${inRoom(line, process.stdout.columns)}\n`);
}

/**
 * Wraps a long line between columns or words. Commands, ids and URLs stay whole.
 * @param columns the terminal's width; 0 if the terminal does not know it. By default, the line is not wrapped.
 */
export function inRoom(text: string, columns = 0): string {
  const room = columns || Number.POSITIVE_INFINITY;
  return text
    .split("\n")
    .map((line) => (widthOf(line) <= room ? line : broken(line, room)))
    .join("\n");
}

/** Text that users copy as a whole. */
const COPIED = /npx |export |--/;

function broken(line: string, room: number): string {
  const cells = [...line.matchAll(/( *)(\S+(?: (?!npx )\S+)*)/g)];
  const indent = cells[0]?.[1] ?? "";
  const below = cells.length > 1 ? `${indent}    ` : indent;
  const lines: string[] = [];
  for (const [, gap = "", cell = ""] of cells) {
    const last = lines.at(-1);
    if (last !== undefined && widthOf(last + gap + cell) <= room) {
      lines[lines.length - 1] = last + gap + cell;
      continue;
    }
    const parts = COPIED.test(cell) ? [cell] : wrap(cell, room - below.length);
    lines.push(...parts.map((part, at) => (last === undefined && at === 0 ? indent : below) + part));
  }
  return lines.join("\n");
}

const widthOf = (line: string): number => stripVTControlCharacters(line).length;

/** Prints a line that the next line replaces. Does nothing without a terminal. */
export function passing(line: string): void {
  const room = process.stdout.columns || 80;
  if (handsome) process.stdout.write(`${CLEAR_LINE}${paint.dim(printable(line).slice(0, room - 1))}`);
}

export function clearPassing(): void {
  if (handsome) process.stdout.write(CLEAR_LINE);
}

/** A note that is neither a result nor an error. */
export function note(line: string): void {
  process.stderr.write(`${printable(line)}\n`);
}

export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}

export type Cell = string | { text: string; color: (text: string) => string };

/** Formats rows as lines in which each column is as wide as its widest cell. Empty columns are omitted. */
export function columns(rows: readonly (readonly Cell[])[], indent = ""): string[] {
  const texts = rows.map((row) => row.map((cell) => printable(typeof cell === "string" ? cell : cell.text)));
  const count = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: count }, (_, index) =>
    Math.max(0, ...texts.map((row) => row[index]?.length ?? 0)),
  );
  return rows.map((row, at) => {
    const cells = row.map((cell, index) => {
      if (widths[index] === 0) return "";
      const text = texts[at]![index]!;
      const gap = " ".repeat(widths[index]! - text.length + 2);
      return (typeof cell === "string" ? text : cell.color(text)) + gap;
    });
    return (indent + cells.join("")).trimEnd();
  });
}

/** Pads a cell to a width, for lines that are printed one by one. */
export function widen(cell: Cell, width: number): Cell {
  return typeof cell === "string" ? cell.padEnd(width) : { ...cell, text: cell.text.padEnd(width) };
}

export const statusCell = (status: number, took = ""): Cell => ({
  text: status + took,
  color: status < 400 ? paint.green : paint.red,
});

export function fields(rows: readonly (readonly [name: string, ...cells: Cell[]])[], indent = ""): string[] {
  return columns(
    rows.map(([name, ...cells]) => [{ text: name, color: paint.dim }, ...cells]),
    indent,
  );
}

/** A body below its title, with JSON indented. An empty body prints nothing. */
export function bodyLines(title: string, body: string | null): string[] {
  if (body === null || body === "") return [];
  return ["", paint.dim(title), ...plainLines(JSON.stringify(readJson(body), null, 2) ?? body)];
}

/** A clock's mode: `live`, `paused`, or `scaled, 60 times real time`. */
export function pace({ mode, rate }: { mode: string; rate: number }): string {
  return rate === 1 || mode === "paused" ? mode : `${mode}, ${rate} times real time`;
}

/** Formats the time from one instant to a later one: `in 10 min`. */
export function until(from: string, to: string): string {
  const ms = Date.parse(to) - Date.parse(from);
  return ms <= 0 ? "now" : `in ${formatDuration(ms)}`;
}

/** Shortens a long id or address in the middle. */
export function short(text: string): string {
  return text.length <= 16 ? text : `${text.slice(0, 8)}…${text.slice(-4)}`;
}

/** Replaces control characters, which a terminal would interpret. */
export function printable(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to remove
  return text.replace(/[\u0000-\u001f\u007f-\u009f]/g, "·");
}
