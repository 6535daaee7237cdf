import { type Html, html } from "../../html/html.ts";
import { reportDocument } from "../../reports/html/document.ts";
import { block, code, facts, table, verdict, words } from "../../reports/html/parts.ts";
import { formatDuration, roughly } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { answerLine, isWanting, sentLines } from "../check/lines.ts";
import { assumedWords, type CheckReport, type HazardResult, leftOutWords } from "../check/report.ts";
import { headline } from "../findings/headline.ts";
import { findingPart, surveyPart } from "../findings/html.ts";
import type { PlayedFinding } from "../findings/play.ts";
import { reasonOf, titleOf } from "../findings/played-report.ts";
import { isAlone, mainOf } from "../findings/verdict.ts";
import type { TakenMail } from "../outside/mail.ts";
import { outsideWords } from "../outside/words.ts";
import { outcomeOf, playedAlone, type Trial, worstOf } from "./trial.ts";

/** A trial as one self-contained HTML file without scripts: the worst result with its evidence, then the rest, collapsed. */
export function trialHtml(trial: Trial): string {
  const { check, survey, problem, outside, wallMs } = trial;
  const { sentence: title, in: worst } = worstOf(trial);
  const status = outcomeOf(trial) === "passed" ? "passed" : "failed";
  const head = html`<h1>${words(title, "title")}</h1><p>${verdict(status)} ${words(whatOf(trial), "title")}, ${roughly(wallMs)}</p>`;
  const parts = [
    { of: "played", part: playedParts(playedAlone(trial)) },
    { of: "check", part: check && checkPart(check, worst === "check") },
    {
      of: "problem",
      part:
        problem &&
        html`<section class="card"><h2>Not explored</h2>${paragraphs(problem.message, problem.hint)}</section>`,
    },
    { of: "survey", part: survey && surveyPart(survey, worst === "survey") },
  ];
  const first = parts.toSorted((one, other) => Number(other.of === worst) - Number(one.of === worst));
  const body = html`${first.map(({ part }) => part)}${outsidePart(outside)}`;
  return reportDocument(`${title} · Sandglass`, head, body);
}

/** A trial's title: its only story, or its parts. */
function whatOf({ played, check, survey }: Trial): string {
  const main = survey && mainOf(survey);
  if (!check && main) return isAlone(survey) || main.finding ? main.story.title : "All stories";
  const parts = [played.length > 0 && "saved findings", check && "check", survey && "explore"];
  return listed(parts.filter((part) => typeof part === "string"));
}

const paragraphs = (...texts: string[]): Html =>
  html`${texts.filter(Boolean).map((text) => html`<p>${words(text, "text")}</p>`)}`;

/** A collapsible result, open if it needs attention. */
const folded = (status: string, isOpen: boolean, [title, below]: [string, string], inside: Html): Html =>
  html`<details class="scenario ${status === "failed" || status === "passed" ? status : ""}"${isOpen && html` open`}><summary>${verdict(status)}<h2>${words(title, "title")}</h2>${code(below)}</summary><div class="inside">${inside}</div></details>`;

/** Findings as parts of an HTML report. Those that still fail come first, and the first one is expanded. */
export function playedParts(all: readonly PlayedFinding[]): Html[] {
  const order = ["failed", "unknown", "passed"];
  return all
    .toSorted((one, other) => order.indexOf(one.status) - order.indexOf(other.status))
    .map((played, index) => {
      const { status, finding, exploration } = played;
      const found = status === "failed" && exploration?.finding;
      const isFailed = status !== "passed";
      return folded(
        isFailed ? "failed" : "passed",
        isFailed && index === 0,
        [finding.name, titleOf(played)],
        html`${paragraphs(reasonOf(played))}${found && findingPart(exploration, found, headline(found))}`,
      );
    });
}

/** What a started server did outside this machine, such as calls to other services. */
function outsidePart(outside: Trial["outside"]): Html {
  const { places, notes } = outsideWords(outside);
  if (places.length + notes.length === 0) return html``;
  return html`<section class="card"><h2>Outside this machine</h2><ul>${places.map((one) => html`<li>${words(one, "text")}</li>`)}</ul>${(outside?.mails ?? []).map(mailPart)}${paragraphs(...notes)}</section>`;
}

const mailPart = ({ to, subject, text }: TakenMail): Html =>
  html`<details><summary>Mail to ${to}: ${subject}</summary><pre>${text}</pre></details>`;

/**
 * A check: the hazards that need attention, and a collapsed table of all hazards. @param isWorst whether to expand the
 * first one
 */
function checkPart(report: CheckReport, isWorst: boolean): Html {
  const { hazards, url, sender, event, seed, at, finding, duration_ms: ms } = report;
  const rows = hazards.map(
    (one) =>
      html`<tr class="${isWanting(one) ? "bad" : ""}"><td class="what">${one.verdict}</td><td>${code(one.name)}</td><td>${words(one.summary, "text")}</td></tr>`,
  );
  const wanting = hazards.filter(isWanting);
  const worst = isWorst
    ? wanting.find(({ verdict }) => verdict === "fail" || verdict === "flaky")
    : undefined;
  const sorted = worst ? [worst, ...wanting.filter((one) => one !== worst)] : wanting;
  return html`${isWorst && paragraphs(finding ?? "")}${sorted.map((one) => hazardPart(one, one === worst))}<details class="card rest"><summary><h2>What was checked</h2></summary>${!isWorst && paragraphs(finding ?? "")}${facts(
    [
      ["Subscriber", code(url)],
      ["Sender", code(sender)],
      ["Event", code(event)],
      ["Seed", code(`${seed} at ${at}`)],
      ["Took", formatDuration(ms)],
    ],
  )}${table("Hazards", ["Verdict", "Hazard", "Result"], rows)}${paragraphs(report.left_out.length > 0 ? leftOutWords(report) : "")}</details>`;
}

function hazardPart(hazard: HazardResult, isOpen: boolean): Html {
  const { verdict: result, name, title, summary, exchanges, why, fix } = hazard;
  const isBad = result !== "warn";
  const shown = exchanges.map((one) =>
    block([`${one.sent.method} ${one.sent.what}`, ...sentLines(one), `→ it ${answerLine(one)}`].join("\n")),
  );
  const inside = html`<p><strong>${words(summary, "text")}</strong></p>${shown}${paragraphs(why, fix, assumedWords(hazard))}`;
  return folded(isBad ? "failed" : result, isOpen, [title, name], inside);
}
