import { attemptName, type MarkTone } from "../../timeline/attempt.ts";
import { counterText } from "../../timeline/counter.ts";
import { formatDuration } from "../../timeline/duration.ts";
import type { Mark } from "../../timeline/marks.ts";
import { changeTone, changeWords } from "../../timeline/states.ts";
import type { Excerpt } from "./excerpt.ts";

export interface TimelineRow {
  /** The virtual time in ISO 8601 format. */
  at: string;
  tone: MarkTone | "ahead";
  /** The attempt; undefined for a change to the endpoint. */
  attempt?: {
    event: string;
    /** A label for the attempt, such as `2`, `2, by hand` or `test`. */
    name: string;
    /** The failure counter after the attempt: `3/10`; empty if the attempt did not count. */
    failures: string;
    nextAt: string | null;
    deliveryId: string | undefined;
  };
  /** The result or the change, in words. */
  words: string;
}

/**
 * The order of rows at the same instant. The keys are those of the marks, or `{type}/{at}/{n}` for the nth change (from
 * 0) of a type at an instant.
 */
export type RowPositions = ReadonlyMap<string, number>;

/**
 * A timeline's attempts, ghosts and changes in chronological order.
 * @param positions the order of rows at the same instant; a row without a position stays after the row before it
 */
export function timelineRows(excerpt: Excerpt, positions: RowPositions = new Map()): TimelineRow[] {
  const placed = rowsOf(excerpt).sort(byTime);
  if (positions.size === 0) return placed.map(({ row }) => row);
  let last: { at: string; position: number } | undefined;
  const positionOf = ({ key, row: { at, tone } }: KeyedRow): number => {
    if (tone === "ahead" && !positions.has(key)) return Number.POSITIVE_INFINITY;
    const position = positions.get(key) ?? (last?.at === at ? last.position : 0);
    last = { at, position };
    return position;
  };
  return placed
    .map((keyed) => ({ ...keyed, position: positionOf(keyed) }))
    .sort((a, b) => byTime(a, b) || (a.position < b.position ? -1 : Number(a.position > b.position)))
    .map(({ row }) => row);
}

interface KeyedRow {
  key: string;
  row: TimelineRow;
}

const byTime = (a: KeyedRow, b: KeyedRow): number => Date.parse(a.row.at) - Date.parse(b.row.at);

function rowsOf({ timeline, marks, changes }: Excerpt): KeyedRow[] {
  const { forecast, counter } = timeline;
  const counts = new Map<string, number>();
  const changed = changes.map((change) => {
    const sort = `${change.type}/${change.at}`;
    const count = counts.get(sort) ?? 0;
    counts.set(sort, count + 1);
    return { key: `${sort}/${count}`, row: changeRow(change) };
  });
  const created = changed.filter((_, index) => changes[index]!.type === "created");
  return [
    // At the same instant, an endpoint's creation comes before its deliveries, but all other changes come after the
    // deliveries that caused them.
    ...created,
    ...marks.map((mark) => ({ key: mark.key, row: markRow(mark, counter.threshold) })),
    ...changed.filter((row) => !created.includes(row)),
    ...(forecast.disabled_at === null
      ? []
      : [
          {
            key: "forecast",
            row: {
              at: forecast.disabled_at,
              tone: "ahead" as const,
              words: "the endpoint would be disabled if all attempts until then fail",
            },
          },
        ]),
  ];
}

function markRow(mark: Mark, threshold: number | null): TimelineRow {
  const { kind, tone, at, end, event, attempt, trigger, result, failures, nextAt, deliveryId } = mark;
  const took = kind === "attempt" && end > at ? `, ${formatDuration(end - at)} later` : "";
  return {
    at: new Date(at).toISOString(),
    tone: kind === "attempt" ? tone : "ahead",
    attempt: {
      event,
      name: attemptName(attempt, trigger),
      failures: failures === null ? "" : counterText(failures, threshold),
      nextAt,
      deliveryId,
    },
    words: result + took,
  };
}

function changeRow(change: Excerpt["changes"][number]): TimelineRow {
  return { at: change.at, tone: changeTone(change.type), words: changeWords(change) };
}
