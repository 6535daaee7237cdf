import { type Html, html } from "../html/html.ts";
import { callLines } from "../timeline/calls.ts";
import { formatDuration, roughly } from "../timeline/duration.ts";
import { type EndpointUrls, urlsOf, worthShowing } from "../timeline/entries.ts";
import { between } from "../timeline/instant.ts";
import { failureKind, headline, positionText, stepOf, stepSummary } from "../timeline/scenario.ts";
import { count } from "../timeline/text.ts";
import type { JournalEntry } from "../world/journal.ts";
import { type Budget, createBudget, ENTRIES_BUDGET, TIMELINES_BUDGET } from "./html/budget.ts";
import { reportDocument } from "./html/document.ts";
import { endpointParts } from "./html/endpoint.ts";
import { journalTable, ledgerList, logList, mailTable } from "./html/entries.ts";
import { legend } from "./html/legend.ts";
import { block, code, facts, leftOut, time, verdict, words } from "./html/parts.ts";
import type { EndpointReport, ScenarioReport, StepReport } from "./scenario-report.ts";
import { type Status, statusCounts, timesText } from "./terminal.ts";

/** A report and its position in the run, which links to the report use. */
interface Numbered {
  report: ScenarioReport;
  number: number;
}

/**
 * A scenario run as one HTML file: verdicts, failures with their positions, each endpoint's timeline on virtual time,
 * and the steps with their effects. It needs no script and loads nothing. It stays below 3 MB no matter how long the
 * summaries, logs and timelines are, and says what was omitted.
 */
export function scenarioHtml(
  reports: readonly ScenarioReport[],
  findings: { statuses: readonly Status[]; parts: readonly Html[] } = { statuses: [], parts: [] },
): string {
  const budgets: Budgets = {
    timelines: createBudget(TIMELINES_BUDGET),
    entries: createBudget(ENTRIES_BUDGET),
  };
  const numbered = reports.map((report, index) => ({ report, number: index + 1 }));
  const failed = numbered.filter(({ report }) => report.status === "failed");
  const passed = numbered.filter(({ report }) => report.status === "passed");
  const [only] = reports.length === 1 && findings.parts.length === 0 ? reports : [];
  const statuses = [...reports.map(({ status }) => status), ...findings.statuses];
  const title =
    statusCounts(statuses)
      .map(({ text }) => text)
      .join(", ") || "Nothing was run";
  const what = [
    ...(reports.length > 0 ? [count(reports.length, "scenario")] : []),
    ...(findings.parts.length > 0 ? [count(findings.parts.length, "finding")] : []),
  ];
  const head = only
    ? html`<h1>${words(only.title, "title")}</h1><p>${verdict(only.status)} ${timesText(reports)}</p>`
    : html`<h1>${title}</h1><p>${what.join(", ")}, ${timesText(reports)}</p>`;
  // Failures come first, because they are the reason why people open a report.
  const parts = [...failed, ...passed].map(({ report, number }) =>
    scenarioPart(report, number, only !== undefined || report.status === "failed", budgets),
  );
  const hasTimelines = reports.some(({ endpoints }) => endpoints.length > 0);
  const body = html`${failed.length > 1 && failureList(failed)}${findings.parts}${hasTimelines && legend()}${parts}`;
  return reportDocument(`${only ? `${only.title}: ${only.status}` : title} · Sandglass`, head, body);
}

function failureList(failed: readonly Numbered[]): Html {
  const lines = failed.map(({ report: { title, file, failure }, number }) => {
    const where = failure?.position ? positionText(failure.position) : file;
    const step = failure?.step != null && html` in the step “${words(failure.step, "title")}”`;
    return html`<li><a href="#scenario-${number}">${words(title, "title")}</a>: ${failure && failureKind(failure.code)}${step}<br>${failure && html`<bdi>${headline(failure.message)}</bdi>`}<br>at ${code(where)}</li>`;
  });
  return html`<section class="card"><h2>What failed</h2><ul class="failures">${lines}</ul></section>`;
}

/** The world of a failed command. */
export interface KeptWorld {
  title: string;
  seed: string;
  /** The world's virtual time in ISO 8601 format. */
  now: string;
  endpoints: EndpointReport[];
  /** All entries in order. The report shows only the latest ones. */
  journal: JournalEntry[];
  mail: ScenarioReport["mail"];
}

/** A saved world as one HTML file: its timelines, e-mails and the end of its journal. */
export function worldHtml({ title, seed, now, endpoints, journal, mail }: KeptWorld): string {
  const head = html`<h1>${words(title, "title")}</h1><p>The world at ${time(now)}, seed ${words(seed)}</p>`;
  const budget = createBudget(ENTRIES_BUDGET);
  // Seeded rows are older than the journal's first entry.
  const since = Date.parse(journal[0]?.at ?? now);
  const timelines =
    endpoints.length > 0 &&
    html`<section class="card"><h2>Endpoints</h2>${endpointParts(endpoints, since, createBudget(TIMELINES_BUDGET))}</section>`;
  const entries =
    journal.length === 0
      ? html`<p>Nothing has happened in this world.</p>`
      : journalTable(journal, urlsOf(endpoints), budget);
  const body = html`${timelines && legend()}${timelines}${mail.length > 0 && html`<section class="card">${mailTable(mail, budget)}</section>`}<section class="card"><h2>Journal</h2>${entries}</section>`;
  return reportDocument(`${title} · Sandglass`, head, body);
}

/** The maximum number of steps shown, which is more than any scenario has. */
const MOST_STEPS = 500;

interface Budgets {
  timelines: Budget;
  entries: Budget;
}

/** A scenario's section: its result, failure, timelines and steps. @param open whether the section is expanded */
function scenarioPart(report: ScenarioReport, number: number, open: boolean, budgets: Budgets): Html {
  const { title, name, status, description, endpoints, mail, log } = report;
  const failed = report.failure ? stepOf(report.steps, report.failure) : undefined;
  return html`<details class="scenario ${status}"${open && html` open`}><summary>${verdict(status)}<h2>${words(title, "title")}</h2>${code(name)}<span class="soft">${inShort(report)}</span></summary><div class="inside" id="scenario-${number}">${
    description !== "" && html`<p>${words(description, "text")}</p>`
  }${about(report)}${failurePart(report)}${endpoints.length > 0 && endpointParts(endpoints, Date.parse(report.started_at), budgets.timelines)}${
    report.steps.length > 0 && stepParts(report, failed, budgets.entries)
  }${log.length > 0 && html`<h3>Log</h3>${logList(log, budgets.entries)}`}${mailTable(mail, budgets.entries)}</div></details>`;
}

function inShort({ steps, expectations, started_at: from, ended_at: to, wall }: ScenarioReport): string {
  const counts = `${count(steps.length, "step")}, ${count(expectations, "expectation")}`;
  return `${counts}, ${roughly(between(from, to))} in ${formatDuration(wall.duration_ms)}`;
}

function about({ file, seed, subscriber, params, started_at: from, ended_at: to }: ScenarioReport): Html {
  return facts([
    ["Virtual time", html`${time(from)} to ${time(to)}`],
    ["File", code(file)],
    ["Seed", code(seed)],
    ["Receiver", subscriber !== null && code(subscriber)],
    ...Object.entries(params).map(([name, value]) => [words(name), code(String(value))] as const),
  ]);
}

/** Explains why a scenario failed: the step, the message, the position and a hint. */
function failurePart({ failure, file, calls }: ScenarioReport): Html | null {
  if (!failure) return null;
  const { code: kind, message, hint, step, position } = failure;
  return html`<div class="failure"><p><strong>${failureKind(kind)}</strong>${step !== null && html` in the step “${words(step, "title")}”`}</p>${block(message)}<p>at ${code(position ? positionText(position) : file)}</p>${
    hint !== "" && html`<p>${words(hint, "text")}</p>`
  }${calls.length > 0 && block(callLines(calls).join("\n"))}</div>`;
}

/** The latest steps. Failed steps are expanded. */
function stepParts(
  { steps, endpoints }: ScenarioReport,
  failed: StepReport | undefined,
  budget: Budget,
): Html {
  const urls = urlsOf(endpoints);
  const left = Math.max(0, steps.length - MOST_STEPS);
  const parts = steps.slice(left).map((step) => stepPart(step, step === failed, urls, budget));
  return html`<h3>Steps</h3>${leftOut(left, "step", "steps")}<ol class="steps" style="counter-reset: step ${left}">${parts}</ol>`;
}

function stepPart(step: StepReport, open: boolean, urls: EndpointUrls, budget: Budget): Html {
  const { title, result, ledger, log } = step;
  const head = html`<span>${words(title, "title")}</span>${result === "failed" && html` ${verdict(result)}`} <span class="soft">${stepSummary(step)}</span>`;
  if (log.length === 0 && worthShowing(ledger).length === 0)
    return html`<li class="${result}"><p>${head}</p></li>`;
  return html`<li class="${result}"><details${open && html` open`}><summary>${head}</summary>${logList(log, budget)}${ledgerList(ledger, urls, budget)}</details></li>`;
}
