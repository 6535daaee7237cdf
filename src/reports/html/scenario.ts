import { type Html, html } from "../../html/html.ts";
import type { ScenarioReport, StepReport } from "../../scenarios/report.ts";
import { formatDuration, roughly } from "../../story/duration.ts";
import { worthShowing } from "../../story/entries.ts";
import { between } from "../../story/instant.ts";
import { failureKind, positionText, stepOf, stepSummary } from "../../story/scenario.ts";
import { count } from "../../story/text.ts";
import type { Budget } from "./budget.ts";
import { endpointParts } from "./endpoint.ts";
import { ledgerList, logList, mailTable } from "./entries.ts";
import { block, code, facts, leftOut, time, verdict, words } from "./parts.ts";

/** More steps than a story has. */
const MOST_STEPS = 500;

export interface Budgets {
  timelines: Budget;
  entries: Budget;
}

/**
 * A scenario: how it went, why it failed, its timelines, its steps.
 * @param open whether it is shown unfolded
 */
export function scenarioPart(report: ScenarioReport, number: number, open: boolean, budgets: Budgets): Html {
  const { title, name, status, description, endpoints, mail, log } = report;
  const failed = report.failure ? stepOf(report.steps, report.failure) : undefined;
  return html`<details class="scenario ${status}"${open && html` open`}><summary>${verdict(status)}<h2>${words(title, "title")}</h2>${code(name)}<span class="soft">${inShort(report)}</span></summary><div class="inside" id="scenario-${number}">${
    description !== "" && html`<p>${words(description, "text")}</p>`
  }${about(report)}${failurePart(report)}${endpoints.length > 0 && endpointParts(endpoints, Date.parse(report.started_at), budgets.timelines)}${
    report.steps.length > 0 && stepParts(report.steps, failed, budgets.entries)
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

/** Why a scenario failed: the step, the message, where, and the way out. */
export function failurePart({ failure, file }: ScenarioReport): Html | null {
  if (!failure) return null;
  const { code: kind, message, hint, step, position } = failure;
  return html`<div class="failure"><p><strong>${failureKind(kind)}</strong>${step !== null && html` in the step “${words(step, "title")}”`}</p>${block(message)}<p>at ${code(position ? positionText(position) : file)}</p>${
    hint !== "" && html`<p>${words(hint, "text")}</p>`
  }</div>`;
}

/** The latest steps; one that failed is unfolded. */
function stepParts(steps: readonly StepReport[], failed: StepReport | undefined, budget: Budget): Html {
  const left = Math.max(0, steps.length - MOST_STEPS);
  const parts = steps.slice(left).map((step) => stepPart(step, step === failed, budget));
  return html`<h3>Steps</h3>${leftOut(left, "step", "steps")}<ol class="steps" style="counter-reset: step ${left}">${parts}</ol>`;
}

function stepPart(step: StepReport, open: boolean, budget: Budget): Html {
  const { title, result, ledger, log } = step;
  const head = html`<span>${words(title, "title")}</span>${result === "failed" && html` ${verdict(result)}`} <span class="soft">${stepSummary(step)}</span>`;
  if (log.length === 0 && worthShowing(ledger).length === 0)
    return html`<li class="${result}"><p>${head}</p></li>`;
  return html`<li class="${result}"><details${open && html` open`}><summary>${head}</summary>${logList(log, budget)}${ledgerList(ledger, budget)}</details></li>`;
}
