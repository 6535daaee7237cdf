import { type Html, html, type Renderable } from "../../html/html.ts";
import { createBudget, ENTRIES_BUDGET } from "../../reports/html/budget.ts";
import { timelineTable } from "../../reports/html/endpoint.ts";
import { legend } from "../../reports/html/legend.ts";
import { code, facts, table, time, words } from "../../reports/html/parts.ts";
import { timelineSvg } from "../../reports/timeline/svg.ts";
import { count } from "../../timeline/text.ts";
import { iso } from "../../world/duration.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import type { Exploration, Finding, Level, Survey } from "../schedules/exploration.ts";
import { attemptWords, pathWords, shown } from "../schedules/words.ts";
import type { Difference } from "../subject/state.ts";
import { eachFinding } from "./findings.ts";
import { headline, oftenWords } from "./headline.ts";
import { noteWords } from "./notes.ts";
import { partingRows } from "./parting.ts";
import { coverageWords, isAlone, levelWords, mainOf, surveyWords } from "./verdict.ts";
import { drawingsOf } from "./view.ts";
import { weaveOf } from "./weave.ts";

const MOST_ROWS = 500;

/**
 * A survey as part of an HTML report: its main finding with the evidence, then the other findings and what was tried,
 * collapsed.
 * @param isWorst whether the report's headline is about its main finding
 */
export function surveyPart(survey: Survey, isWorst: boolean): Html {
  const main = mainOf(survey);
  const flaky = main?.flaky;
  const all = survey.explorations.flatMap(eachFinding);
  const shown = all.toSorted(
    (one, other) => Number(other.finding === main?.finding) - Number(one.finding === main?.finding),
  );
  return html`${shown.map((one, index) =>
    index === 0 && isWorst
      ? findingPart(one, one.finding!, "What happens")
      : html`<details class="scenario failed"><summary><h2>${headline(one.finding!)}</h2></summary><div class="inside">${findingPart(one, one.finding!, "What happens")}</div></details>`,
  )}${
    flaky &&
    flaky.differences.length > 0 &&
    html`<section class="card"><h2>What differed</h2><p>Two calm runs ended differently. Exclude values that differ in every run with subject.ignore.</p>${stateTable(flaky.differences, "one run", "another")}</section>`
  }${main && about(survey, main)}`;
}

function about(survey: Survey, main: Exploration): Html {
  const { story, subscriber, seed, ignore, ordered, levels } = main;
  const { explorations, unplayed } = survey;
  const stories = html`${explorations.map((one) => storyRow(one.story.name, coverageWords(one.levels)))}${unplayed.map(({ name, reason }) => storyRow(name, reason))}`;
  return html`<details class="card rest"><summary><h2>What was tried</h2></summary><p>${surveyWords(survey)}</p>${noteWords(main, "subject.ordered").map((note) => html`<p>${note}</p>`)}${facts(
    [
      ["Story", code(story.name)],
      ["Subscriber", code(subscriber)],
      ["Seed", code(seed)],
      ["Not compared", ignore.length > 0 && code(ignore.join(", "))],
      ["Order compared", ordered.length > 0 && code(ordered.join(", "))],
    ],
  )}${table("Schedules", ["Deviations", "Schedules"], levels.map(levelRow))}${
    !isAlone(survey) && table("Stories", ["Story", "Schedules"], [stories])
  }</details>`;
}

const storyRow = (name: string, coverage: string): Html =>
  html`<tr><td>${code(name)}</td><td>${words(coverage)}</td></tr>`;

const levelRow = (level: Level): Html =>
  html`<tr><td>${level.deviations}</td><td>${levelWords(level)}</td></tr>`;

/** A finding: both timelines on one axis, where and why it goes wrong, and the rest, collapsed. */
export function findingPart({ calm }: Exploration, finding: Finding, title: string): Html {
  const { run, differences, invariant } = finding;
  const isCalm = run.schedule.length === 0;
  const often = oftenWords(finding);
  const { instants, drawings } = drawingsOf(calm, run);
  const budget = createBudget(ENTRIES_BUDGET);
  const attempts = table(
    "Attempts in order",
    ["", "Virtual time", "Event", "Attempt", "Result"],
    run.attempts.slice(0, MOST_ROWS).map(attemptRow),
  );
  return html`<section class="card"><h2>${words(title, "title")}</h2>${often !== "" && html`<p>${often}</p>`}${(
    isCalm ? drawings.slice(1) : drawings
  ).map(
    ({ title: name, excerpt }) =>
      html`<h3>${name}</h3><div class="wide drawing" tabindex="0" role="region" aria-label="${name}: timeline">${timelineSvg(excerpt, instants)}</div>${timelineTable(excerpt, budget)}`,
  )}${legend()}${partingTable(finding)}${
    differences.length > 0 && html`<h2>The state in the end</h2>${stateTable(differences, "expected", "got")}`
  }${invariant && !invariant.isEnd && html`<h2>The invariant</h2><p>${words(invariant.message, "text")}</p>`}<h2>Why, and the fix</h2><p>${words(finding.why, "text")}</p>${statementTable(finding)}<details class="rest"><summary>${count(run.attempts.length, "attempt")} in order</summary>${attempts}</details></section>`;
}

function partingTable(finding: Finding): Html | false {
  const rows = partingRows(finding);
  if (rows.length === 0) return false;
  const heads = ["Attempt", "Event", "When everything goes well", "As found"] as const;
  const cell = (at: number, content: Renderable) => html`<td data-head="${heads[at]!}">${content}</td>`;
  const changes = (all: readonly string[]) => all.map((one) => html`<div>${code(one)}</div>`);
  return html`<h2>Where it goes wrong</h2><div class="stacked">${table(
    "What each delivery changed",
    heads,
    rows.map(
      ({ attempts, event, calm, found, parts }) =>
        html`<tr class="${parts ? "bad" : ""}">${cell(0, attempts.join("+"))}${cell(1, words(event))}${cell(2, changes(calm))}${cell(3, changes(found))}</tr>`,
    ),
  )}</div>`;
}

function statementTable({ run }: Finding): Html | false {
  const weave = weaveOf(run);
  if (!weave) return false;
  const cell = ({ statement, mark }: (typeof weave.rows)[number]) =>
    mark === undefined
      ? html`${code(statement!.text)} ${words(statement!.result)}`
      : html`<b>${words(mark)}</b>`;
  return html`<h2>What the database saw</h2>${table(
    "Statements of two deliveries in their order",
    weave.titles,
    weave.rows.map(
      (row) =>
        html`<tr class="${row.mark ? "bad" : ""}"><td>${row.column === 0 && cell(row)}</td><td>${row.column === 1 && cell(row)}</td></tr>`,
    ),
  )}`;
}

function attemptRow(sent: SentAttempt, index: number): Html {
  const kind = sent.deviation ? "bad" : sent.failed ? "bad" : "good";
  const name = sent.trigger === "test" ? "test" : String(sent.attempt);
  return html`<tr class="${kind}"><td>${index + 1}</td><td>${time(iso(sent.at))}</td><td>${words(sent.event)}</td><td>${name}</td><td class="what">${attemptWords(sent, index)}</td></tr>`;
}

function stateTable(differences: readonly Difference[], expected: string, actual: string): Html {
  const rows = differences
    .slice(0, MOST_ROWS)
    .map(
      (one) =>
        html`<tr><td>${code(pathWords(one.path))}</td><td>${code(shown(one.expected))}</td><td>${code(shown(one.actual))}</td></tr>`,
    );
  const left = differences.length - rows.length;
  return html`${table("Differences", ["Place", expected, actual], rows)}${left > 0 && html`<p class="left-out">${count(left, "more difference")} not shown.</p>`}`;
}
