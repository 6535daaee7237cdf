import { type Html, html } from "../../html/html.ts";
import type { EndpointReport } from "../../scenarios/report.ts";
import { clip, count, plain } from "../../story/text.ts";
import { type Excerpt, excerptOf } from "../timeline/excerpt.ts";
import { timelineSvg } from "../timeline/svg.ts";
import type { Budget } from "./budget.ts";
import { code, verdict, words } from "./parts.ts";
import { timelineTable } from "./timeline-table.ts";

interface Drawn {
  endpoint: EndpointReport;
  excerpt: Excerpt;
}

/**
 * Endpoints with their timelines. Those that were there before and had no trouble are folded; those that nothing was
 * sent to are a line.
 * @param since where the timelines begin, virtual milliseconds
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

/** Made by the run, changed by it, or failing in it. */
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
  return html`<section class="endpoint"><h3>${words(url)}</h3><p class="about">${verdict(timeline.status)} <span>${value} of ${threshold} failures in a row</span> ${code(id)} <span class="soft">${
    description !== null && html`${words(description)}; `
  }${all ? "all events" : words(events.join(", "))}</span></p>${
    budget.take(drawing)
      ? html`<div class="wide drawing" tabindex="0" role="region" aria-label="Timeline of ${plain(clip(url, 100))}">${drawing}</div>`
      : html`<p class="left-out">The drawing is left out here, to keep this file small.</p>`
  }${timelineTable(excerpt, budget)}</section>`;
}
