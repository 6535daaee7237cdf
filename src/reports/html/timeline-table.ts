import { type Html, html } from "../../html/html.ts";
import { instant } from "../../story/instant.ts";
import { count } from "../../story/text.ts";
import type { Excerpt } from "../timeline/excerpt.ts";
import { type TimelineRow, timelineRows } from "../timeline/rows.ts";
import type { Budget } from "./budget.ts";
import { leftOut, table, time } from "./parts.ts";

const MOST_ROWS = 1_000;
const HEADS = ["Virtual time", "Event", "Attempt", "Result", "In a row", "Next attempt"];

/** What a timeline shows as a table: each attempt, ghost and change in order of time. */
export function timelineTable(excerpt: Excerpt, budget: Budget): Html {
  const { before } = excerpt;
  const rows = timelineRows(excerpt);
  const { shown, left } = budget.latest(
    rows.map((row) => () => rowHtml(row)),
    MOST_ROWS,
  );
  const earlier =
    before > 0 && html` <span class="soft">(${count(before, "attempt")} before are not shown)</span>`;
  return html`<details><summary>The same as a table: ${count(rows.length, "row")}${earlier}</summary>${leftOut(left, "row", "rows")}${table("The timeline as a table", HEADS, shown)}</details>`;
}

function rowHtml({ at, tone, attempt, words }: TimelineRow): Html {
  const kind = tone === "none" ? "" : tone;
  if (!attempt)
    return html`<tr class="${kind}"><td>${time(at)}</td><td class="what" colspan="5"><bdi>${words}</bdi></td></tr>`;
  const { event, name, failures, nextAt } = attempt;
  return html`<tr class="${kind}"><td>${time(at)}</td><td><bdi>${event}</bdi></td><td>${name}</td><td class="what"><bdi>${words}</bdi></td><td>${failures}</td><td>${nextAt !== null && instant(nextAt)}</td></tr>`;
}
