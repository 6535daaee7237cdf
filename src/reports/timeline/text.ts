import { stripVTControlCharacters } from "node:util";
import { compressedAxis } from "../../timeline/axis.ts";
import { axisLines } from "../../timeline/axis-labels.ts";
import { captionsOf, instantsOf } from "../../timeline/contents.ts";
import {
  type CounterPoint,
  counterCurve,
  counterText,
  curveSince,
  curveTop,
} from "../../timeline/counter.ts";
import { skipOf } from "../../timeline/endpoint-state.ts";
import { type Group, groupMarks } from "../../timeline/groups.ts";
import { laneCount, layOut, type Thread } from "../../timeline/lanes.ts";
import type { Mark } from "../../timeline/marks.ts";
import { bandsOf, changeGlyph, changeTone } from "../../timeline/states.ts";
import type { Color, Paint } from "../terminal.ts";
import type { Excerpt } from "./excerpt.ts";

export interface TextOptions {
  paint: Paint;
  /** The line width in characters. */
  width: number;
  /** Additional instants on the axis, so several drawings can share one. */
  instants?: readonly number[];
}

/** The space for the track names, and for half a mark at the right edge. */
const LEFT = 19;
const RIGHT = 5;
const LEAST_WIDTH = 30;
/** How many pixels of the SVG drawing one character represents. */
const PIXELS = 7;
const BLOCKS = "▁▂▃▄▅▆▇█";

const NOW = "now";
const WHEN_DISABLED = "disabled, if all fail ";

const same: Color = (text) => text;

interface Cell {
  text: string;
  color: Color;
  /** Whether the cell belongs to a label or to the spaces around it. */
  taken: boolean;
}

/** A line of coloured characters. */
interface Row {
  put(column: number, text: string, color?: Color, over?: boolean): void;
  text(): string;
}

/**
 * An endpoint's timeline on virtual time with its legend, drawn with characters. It has the same tracks as the drawing
 * in the report.
 * @returns lines without control characters except those from `paint`
 */
export function timelineLines(excerpt: Excerpt, options: TextOptions): string[] {
  return [...drawingLines(excerpt, options), "", ...legendLines(options)];
}

/** Like `timelineLines`, but without the legend. */
export function drawingLines(excerpt: Excerpt, { paint, width, instants = [] }: TextOptions): string[] {
  const { timeline, marks } = excerpt;
  const now = Date.parse(timeline.now);
  const columns = Math.max(LEAST_WIDTH, width - LEFT - RIGHT);
  const axis = compressedAxis([...instantsOf(excerpt, now), ...instants], columns, columns);
  const x = (at: number) => LEFT + Math.round(axis.x(at));
  const captionOf = captionsOf(marks);
  const threads = layOut(marks, {
    stay(thread) {
      const { length } = captionOf(thread);
      // Near the right edge, move the caption to the left so it fits.
      const from = Math.min(axis.x(thread.from), columns + RIGHT - length);
      return { from, to: Math.max(axis.x(thread.to) + RIGHT, from + length + 1) };
    },
  });
  const view: View = { excerpt, x, now, end: LEFT + columns + RIGHT, paint };
  const rows = [
    axisRow(view, axis.instants),
    stateRow(view),
    curveRow(view),
    ...laneRows(view, threads, captionOf),
    ...footRows(view),
  ];
  for (const row of rows) row.put(x(now), "│", paint.yellow, false);
  return rows.map((row) => row.text());
}

interface View {
  excerpt: Excerpt;
  /** The column for an instant. */
  x: (at: number) => number;
  now: number;
  /** The column after the last one. */
  end: number;
  paint: Paint;
}

function rowOf(name: string, { end, paint }: View): Row {
  const cells = Array.from({ length: end }, (): Cell => ({ text: " ", color: same, taken: false }));
  const row: Row = {
    put(column, text, color = same, over = true) {
      [...text].forEach((character, index) => {
        const cell = cells[column + index];
        if (cell && (over || !cell.taken)) Object.assign(cell, { text: character, color, taken: true });
      });
    },
    text: () => paintRuns(cells),
  };
  row.put(0, name, paint.dim);
  return row;
}

/** Paints adjacent cells of the same colour together. Trailing spaces get no colour. */
function paintRuns(cells: readonly Cell[]): string {
  const length = cells.findLastIndex(({ text }) => text !== " ") + 1;
  let line = "";
  for (let from = 0; from < length; ) {
    const { color } = cells[from]!;
    let to = from + 1;
    while (to < length && cells[to]!.color === color) to += 1;
    const run = cells.slice(from, to).map(({ text }) => text);
    line += color === same ? run.join("") : color(run.join(""));
    from = to;
  }
  return line;
}

function axisRow(view: View, instants: readonly number[]): Row {
  const row = rowOf("Virtual time", view);
  const room = { apart: 2, gap: 2, width: (label: string) => label.length };
  for (const { x, label, day } of axisLines(instants, view.x, room))
    if (label !== undefined && x + label.length <= view.end) row.put(x, label, day ? view.paint.bold : same);
  return row;
}

/** Draws whether the endpoint was enabled, and its changes. */
function stateRow(view: View): Row {
  const { excerpt, x, end, paint } = view;
  const row = rowOf("State", view);
  for (const { from, to, state } of bandsOf(excerpt.timeline)) {
    const left = Number.isFinite(from) ? x(from) : LEFT;
    const length = Math.max(0, (to === undefined ? end : x(to)) - left);
    const sign = skipOf(state) === null ? "─" : "░";
    row.put(left, sign.repeat(length), changeTone(state) === "good" ? paint.green : paint.red);
  }
  let last = Number.NEGATIVE_INFINITY;
  for (const { type, at } of excerpt.changes) {
    const column = Math.max(x(Date.parse(at)), last + 2);
    last = column;
    row.put(column, changeGlyph(type), paint.bold);
  }
  return row;
}

/** Draws the failure counter as columns of different heights, for the past and the future. */
function curveRow(view: View): Row {
  const { excerpt, x, now, paint } = view;
  const { counter } = excerpt.timeline;
  const row = rowOf(`Failures ${counterText(counter.consecutive_failures, counter.threshold)}`, view);
  const curve = curveSince(counterCurve(excerpt.timeline), excerpt.since);
  const top = curveTop(curve, counter.threshold);
  const draw = (points: readonly CounterPoint[], start: number, from: number, to: number, color: Color) => {
    let level = start;
    for (let column = from; column < to; column += 1) {
      const here = points.filter(({ at }) => x(at) === column).map(({ value }) => value);
      const height = Math.max(level, ...here);
      level = here.at(-1) ?? level;
      if (height > 0)
        row.put(column, BLOCKS[Math.ceil((Math.min(height, top) / top) * BLOCKS.length) - 1]!, color);
    }
  };
  const last = curve.ahead.at(-1);
  draw(curve.past, curve.start, LEFT, x(now), paint.red);
  draw(curve.ahead, counter.consecutive_failures, x(now) + 1, last ? x(last.at) + 1 : 0, paint.dim);
  return row;
}

/** Draws each event in its lane: a caption above its past and future attempts. */
function laneRows(
  view: View,
  threads: ReadonlyMap<string, Thread>,
  captionOf: (thread: Thread) => string,
): Row[] {
  const { excerpt, x, paint } = view;
  const groups = groupMarks(excerpt.marks, threads, (at) => x(at) * PIXELS);
  if (excerpt.marks.length === 0) {
    const row = rowOf("Attempts", view);
    row.put(LEFT, "none", paint.dim);
    return [row];
  }
  return Array.from({ length: laneCount(threads) }, (_, lane) => {
    const captions = rowOf(lane === 0 ? "Attempts" : "", view);
    const marks = rowOf("", view);
    for (const thread of threads.values()) {
      if (thread.lane !== lane) continue;
      const [from, made, to] = [x(thread.from), x(thread.made), x(thread.to)];
      const caption = captionOf(thread);
      // The trailing space separates the caption from the `now` line.
      if (!thread.crowded) captions.put(Math.min(from, view.end - caption.length), `${caption} `, paint.dim);
      marks.put(from, "─".repeat(made - from), paint.dim);
      marks.put(made, "┄".repeat(to - made), paint.dim);
    }
    for (const group of groups[lane] ?? []) {
      const text = markText(group);
      marks.put(Math.max(LEFT - 2, x(group.at) - Math.floor(text.length / 2)), text, colorOf(group, paint));
    }
    return [captions, marks];
  }).flat();
}

/** Round shapes are delivered attempts, square shapes are failed ones, and pointed shapes are future ones. */
const SHAPES: Record<string, [open: string, close: string, small: string]> = {
  good: ["(", ")", "●"],
  pending: ["(", ")", "○"],
  bad: ["[", "]", "■"],
  none: ["<", ">", "◇"],
};
const LETTERS: Partial<Record<Mark["trigger"], string>> = { manual: "h", resend: "r", test: "t" };

function markText({ marks, kind, tone, roomy }: Group): string {
  const [first] = marks as [Mark, ...Mark[]];
  if (kind === "skipped") return "×";
  const [open, close, small] = SHAPES[tone]!;
  if (!roomy) return small;
  const label = marks.length > 1 ? `${marks.length}×` : (LETTERS[first.trigger] ?? "") + first.label;
  return `${open}${label}${close}`;
}

function colorOf({ tone, kind }: Group, paint: Paint): Color {
  if (tone === "good") return paint.green;
  if (tone === "bad") return paint.red;
  return kind === "planned" || tone === "pending" ? paint.yellow : paint.dim;
}

/** The labels of the vertical lines, in two rows if they do not fit into one. */
function footRows(view: View): Row[] {
  const { excerpt, x, now, paint } = view;
  const row = rowOf("", view);
  const { disabled_at: disabledAt } = excerpt.timeline.forecast;
  const nowColumn = x(now) - NOW.length;
  row.put(nowColumn, NOW, paint.yellow);
  if (disabledAt === null) return [row];
  const column = x(Date.parse(disabledAt));
  const from = Math.max(0, column - WHEN_DISABLED.length);
  const below = from <= x(now) + 1 && column >= nowColumn ? rowOf("", view) : row;
  below.put(from, WHEN_DISABLED, paint.red);
  below.put(column, "■", paint.red);
  return below === row ? [row] : [row, below];
}

/**
 * The legend of the drawing, wrapped to the given width. @param further additional symbols that only this drawing uses
 */
export function legendLines(
  { paint, width }: Pick<TextOptions, "paint" | "width">,
  ...further: (readonly [sign: string, words: string])[]
): string[] {
  const { good, bad, pending, none } = SHAPES as Record<"good" | "bad" | "pending" | "none", string[]>;
  const small = ([open, close, sign]: string[], label: string) => `${open}${label}${close} ${sign}`;
  const change = changeGlyph;
  const entries: (readonly [sign: string, words: string])[] = [
    [paint.green(small(good, "200")), "delivered"],
    [paint.red(small(bad, "503")), "failed"],
    ...further,
    [paint.yellow(small(pending, "…")), "in progress"],
    [paint.yellow(small(none, "2")), "planned, or would follow if all fail"],
    ["3×", "several in one"],
    ["×", "not made"],
    ["h", "by hand"],
    ["r", "resend"],
    ["t", "test"],
    [change("created"), "created"],
    [change("updated"), "updated"],
    [`${change("disabled")} ${paint.red("░")}`, "disabled"],
    [change("enabled"), "enabled"],
    [change("mail"), "e-mail"],
  ];
  const lines: { text: string; length: number }[] = [];
  for (const [sign, words] of entries) {
    const length = stripVTControlCharacters(sign).length + 1 + words.length;
    const last = lines.at(-1);
    if (last && last.length + 2 + length <= width) {
      last.text += `  ${sign} ${words}`;
      last.length += 2 + length;
    } else lines.push({ text: `${sign} ${words}`, length });
  }
  return lines.map(({ text }) => text);
}
