import { type Html, html } from "../../html/html.ts";
import { createBudget, ENTRIES_BUDGET } from "../../reports/html/budget.ts";
import { reportDocument } from "../../reports/html/document.ts";
import { legend } from "../../reports/html/legend.ts";
import { code, facts, table, time, verdict, words } from "../../reports/html/parts.ts";
import { timelineTable } from "../../reports/html/timeline-table.ts";
import { timelineSvg } from "../../reports/timeline/svg.ts";
import { roughly } from "../../story/duration.ts";
import { count } from "../../story/text.ts";
import { iso } from "../../world/duration.ts";
import type { SentAttempt } from "../attempt.ts";
import type { Exploration, Finding, Level } from "../exploration.ts";
import type { Difference } from "../state.ts";
import { attemptWords, pathWords } from "../words.ts";
import { drawingsOf } from "./drawings.ts";
import { headline, shown } from "./headline.ts";
import { levelWords, verdictWords } from "./verdict.ts";

const MOST_ROWS = 500;

/**
 * An exploration as one HTML file: what was found, the story, the state, and the timelines of the calm run and of the
 * found one, one above the other. It needs no script and loads nothing.
 */
export function explorationHtml(exploration: Exploration): string {
  const { story, finding, flaky, wallMs } = exploration;
  const title = finding
    ? headline(finding).replace(/\.$/, "")
    : flaky
      ? "The subscriber is not deterministic"
      : "No difference found";
  const status = finding || flaky ? "failed" : "passed";
  const head = html`<h1>${words(title, "title")}</h1><p>${verdict(status)} ${words(story.title, "title")}, ${roughly(wallMs)}</p>`;
  const body = html`${finding && findingPart(exploration, finding)}${
    flaky &&
    html`<section class="card"><h2>What differed</h2><p>${flaky.schedule.length === 0 ? "Two calm runs" : "Two runs of one schedule"} ended differently. Leave out what differs by itself with --ignore.</p>${stateTable(flaky.differences, "one run", "another")}</section>`
  }${about(exploration)}`;
  return reportDocument(`${title} · Sandglass`, head, body);
}

function about(exploration: Exploration): Html {
  const { story, subscriber, seed, ignore, levels } = exploration;
  return html`<section class="card"><h2>What was tried</h2><p>${verdictWords(exploration)}</p>${facts([
    ["Story", code(story.name)],
    ["Subscriber", code(subscriber)],
    ["Seed", code(seed)],
    ["Not compared", ignore.length > 0 && code(ignore.join(", "))],
  ])}${table("Schedules", ["Deviations", "Schedules"], levels.map(levelRow))}</section>`;
}

const levelRow = (level: Level): Html =>
  html`<tr><td>${level.deviations}</td><td>${levelWords(level)}</td></tr>`;

function findingPart({ calm }: Exploration, { run, differences, invariant, why }: Finding): Html {
  const { instants, drawings } = drawingsOf(calm, run);
  const budget = createBudget(ENTRIES_BUDGET);
  return html`<section class="card"><h2>What happens</h2>${table(
    "Attempts in order",
    ["", "Virtual time", "Event", "Attempt", "Result"],
    run.attempts.slice(0, MOST_ROWS).map(attemptRow),
  )}${
    differences.length > 0 && html`<h2>The state in the end</h2>${stateTable(differences, "expected", "got")}`
  }${invariant && html`<h2>The invariant</h2><p>${words(invariant.message, "text")}</p>`}<h2>Why</h2><p>${words(why, "text")}</p></section>${legend()}<section class="card">${drawings.map(
    ({ title, excerpt }) =>
      html`<h2>${title}</h2><div class="wide drawing" tabindex="0" role="region" aria-label="${title}: timeline">${timelineSvg(excerpt, instants)}</div>${timelineTable(excerpt, budget)}`,
  )}</section>`;
}

function attemptRow(sent: SentAttempt, index: number): Html {
  const kind = sent.deviation ? "bad" : sent.failed ? "bad" : "good";
  const name = sent.trigger === "test" ? "test" : String(sent.attempt);
  return html`<tr class="${kind}"><td>${index + 1}</td><td>${time(iso(sent.at))}</td><td>${words(sent.event)}</td><td>${name}</td><td class="what">${attemptWords(sent)}</td></tr>`;
}

function stateTable(differences: readonly Difference[], expected: string, actual: string): Html {
  const rows = differences
    .slice(0, MOST_ROWS)
    .map(
      (one) =>
        html`<tr><td>${code(pathWords(one.path))}</td><td>${code(shown(one.expected))}</td><td>${code(shown(one.actual))}</td></tr>`,
    );
  const left = differences.length - rows.length;
  return html`${table("Differences", ["Place", expected, actual], rows)}${left > 0 && html`<p class="left-out">${count(left, "more difference")} left out here.</p>`}`;
}
