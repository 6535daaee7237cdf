import { type Html, html } from "../../html/html.ts";
import { attemptName } from "../../story/attempt.ts";
import { formatDuration } from "../../story/duration.ts";
import { instant } from "../../story/instant.ts";
import type { Mark } from "../../story/marks.ts";
import { changeWords } from "../../story/states.ts";
import { count } from "../../story/text.ts";
import type { Excerpt } from "../timeline/excerpt.ts";
import type { Budget } from "./budget.ts";
import { leftOut, table, time } from "./parts.ts";

const MOST_ROWS = 1_000;
const HEADS = ["Virtual time", "Event", "Attempt", "Result", "In a row", "Next attempt"];

/** What a timeline shows as a table: each attempt, ghost and change in order of time. */
export function timelineTable({ timeline, marks, changes, before }: Excerpt, budget: Budget): Html {
  const { disabled_at: disabledAt } = timeline.forecast;
  const changed = changes.map((change) => ({ at: Date.parse(change.at), row: () => changeRow(change) }));
  const created = changed.filter((_, index) => changes[index]!.type === "created");
  const rows = [
    // At one instant an endpoint is made before anything is sent to it; the rest comes of what was sent.
    ...created,
    ...marks.map((mark) => ({ at: mark.at, row: () => markRow(mark, timeline.counter.threshold) })),
    ...changed.filter((row) => !created.includes(row)),
    ...(disabledAt === null ? [] : [{ at: Date.parse(disabledAt), row: () => disabledRow(disabledAt) }]),
  ].sort((a, b) => a.at - b.at);
  const { shown, left } = budget.latest(
    rows.map(({ row }) => row),
    MOST_ROWS,
  );
  const earlier =
    before > 0 && html` <span class="soft">(${count(before, "attempt")} before are not shown)</span>`;
  return html`<details><summary>The same as a table: ${count(rows.length, "row")}${earlier}</summary>${leftOut(left, "row", "rows")}${table("The timeline as a table", HEADS, shown)}</details>`;
}

function markRow(mark: Mark, threshold: number): Html {
  const { kind, tone, at, end, event, attempt, trigger, result, failures, nextAt } = mark;
  const what = attemptName(attempt, trigger);
  const took = kind === "attempt" && end > at ? `, ${formatDuration(end - at)} later` : "";
  return html`<tr class="${kind === "attempt" ? tone : "ahead"}"><td>${time(new Date(at).toISOString())}</td><td><bdi>${event}</bdi></td><td>${what}</td><td class="what"><bdi>${result}${took}</bdi></td><td>${
    failures !== null && `${failures}/${threshold}`
  }</td><td>${nextAt !== null && instant(nextAt)}</td></tr>`;
}

function changeRow(change: Excerpt["changes"][number]): Html {
  const tone = change.type === "disabled" ? "bad" : change.type === "enabled" ? "good" : "";
  return html`<tr class="${tone}"><td>${time(change.at)}</td><td class="what" colspan="5"><bdi>${changeWords(change)}</bdi></td></tr>`;
}

const disabledRow = (at: string): Html =>
  html`<tr class="ahead"><td>${time(at)}</td><td colspan="5">the endpoint would be disabled if all fail until then</td></tr>`;
