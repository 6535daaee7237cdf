import { html } from "../../html/html.ts";
import { reportDocument } from "../../reports/html/document.ts";
import { verdict, words } from "../../reports/html/parts.ts";
import { roughly } from "../../timeline/duration.ts";
import { listed } from "../../timeline/text.ts";
import { checkPart } from "../check/html.ts";
import { surveyPart } from "../findings/html.ts";
import { playedParts } from "../findings/played-report.ts";
import { isAlone, mainOf } from "../findings/verdict.ts";
import { outcomeOf, playedAlone, type Trial, worstOf } from "./trial.ts";

/** A trial as one HTML file, the worst thing first. It needs no script and loads nothing. */
export function trialHtml(trial: Trial): string {
  const { check, survey, problem, wallMs } = trial;
  const title = worstOf(trial);
  const status = outcomeOf(trial) === "passed" ? "passed" : "failed";
  const played = playedAlone(trial);
  const head = html`<h1>${words(title, "title")}</h1><p>${verdict(status)} ${words(whatOf(trial), "title")}, ${roughly(wallMs)}</p>`;
  const body = html`${playedParts(played)}${check && checkPart(check)}${problem && html`<section class="card"><h2>Not explored</h2><p>${words(problem.message, "text")}</p><p>${words(problem.hint, "text")}</p></section>`}${survey && surveyPart(survey)}`;
  return reportDocument(`${title} · Sandglass`, head, body);
}

/** The title of a trial: that of its only story, or its parts. */
function whatOf({ played, check, survey }: Trial): string {
  const main = survey && mainOf(survey);
  if (!check && main) return isAlone(survey) || main.finding ? main.story.title : "All stories";
  const parts = [played.length > 0 && "saved findings", check && "check", survey && "explore"];
  return listed(parts.filter((part) => typeof part === "string"));
}
