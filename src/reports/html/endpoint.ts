import { type Html, html } from "../../html/html.ts";
import { counterWords } from "../../timeline/counter.ts";
import { instant } from "../../timeline/instant.ts";
import { clip, count, plain } from "../../timeline/text.ts";
import type { EndpointReport } from "../scenario-report.ts";
import { type Excerpt, excerptOf } from "../timeline/excerpt.ts";
import { type TimelineRow, timelineRows } from "../timeline/rows.ts";
import { timelineSvg } from "../timeline/svg.ts";
import type { Budget } from "./budget.ts";
import { code, leftOut, table, time, verdict, words } from "./parts.ts";

interface Drawn {
  endpoint: EndpointReport;
  excerpt: Excerpt;
}

/**
 * Endpoints with their timelines. Older endpoints without failures are collapsed; those without deliveries take up one
 * line.
 * @param since the start of the timelines, in virtual milliseconds
 */
export function endpointParts(endpoints: readonly EndpointReport[], since: number, budget: Budget): Html {
  const all = endpoints.map(
    (endpoint): Drawn => ({ endpoint, excerpt: excerptOf(endpoint.timeline, since) }),
  );
  const quiet = all.filter(({ excerpt }) => excerpt.marks.length === 0);
  const busy = all.filter(({ excerpt }) => excerpt.marks.length > 0);
  const central = busy.filter(isCentral);
  const shown = central.length > 0 ? central : busy;
  const folded = busy.filter((one) => !shown.includes(one));
  return html`${shown.map((one) => endpointPart(one, budget))}${
    folded.length > 0 &&
    html`<details class="others"><summary>${count(folded.length, "other endpoint")}</summary>${folded.map((one) => endpointPart(one, budget))}</details>`
  }${quiet.length > 0 && html`<p>Nothing was sent to ${quiet.map(quietLine)}</p>`}`;
}

/** Whether the run created or changed the endpoint, or a delivery to it failed. */
function isCentral({ excerpt: { changes, marks } }: Drawn): boolean {
  return changes.length > 0 || marks.some(({ tone, kind }) => tone === "bad" || kind === "planned");
}

const quietLine = ({ endpoint: { url, timeline } }: Drawn, index: number): Html =>
  html`${index > 0 && ", "}${code(url)} (${timeline.status})`;

function endpointPart({ endpoint, excerpt }: Drawn, budget: Budget): Html {
  const { id, url, description, events, timeline } = endpoint;
  const { consecutive_failures: value, threshold } = timeline.counter;
  const drawing = timelineSvg(excerpt);
  const all = events.length === 0 || events.includes("*");
  return html`<section class="endpoint"><h3>${words(url)}</h3><p class="about">${verdict(timeline.status)} <span>${counterWords(value, threshold)}</span> ${code(id)} <span class="soft">${
    description !== null && html`${words(description)}; `
  }${all ? "all events" : words(events.join(", "))}</span></p>${
    budget.take(drawing)
      ? html`<div class="wide drawing" tabindex="0" role="region" aria-label="Timeline of ${plain(clip(url, 100))}">${drawing}</div>`
      : html`<p class="left-out">The drawing is omitted to keep this file small.</p>`
  }${timelineTable(excerpt, budget)}</section>`;
}

const MOST_ROWS = 1_000;
const HEADS = ["Virtual time", "Event", "Attempt", "Result", "In a row", "Next attempt"];

/** A timeline in the form of a table, with each attempt, ghost and change in chronological order. */
export function timelineTable(excerpt: Excerpt, budget: Budget): Html {
  const { before } = excerpt;
  const rows = timelineRows(excerpt);
  const { shown, left } = budget.latest(rows, MOST_ROWS, rowHtml);
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
