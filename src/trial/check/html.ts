import { type Html, html } from "../../html/html.ts";
import { block, code, facts, table, verdict, words } from "../../reports/html/parts.ts";
import { formatDuration } from "../../timeline/duration.ts";
import type { Verdict } from "../hazards/hazard.ts";
import { answerLine, sentLines } from "./lines.ts";
import {
  assumedWords,
  type CheckReport,
  type ExchangeReport,
  type HazardResult,
  leftOutWords,
} from "./report.ts";

const WANTING = new Set<Verdict>(["fail", "flaky", "warn"]);

/** A check as a part of an HTML report: each hazard that wants a look, unfolded where it failed, and a table of all. */
export function checkPart(report: CheckReport): Html {
  const { hazards, url, sender, event, seed, at, finding, duration_ms: ms } = report;
  return html`${hazards.filter(({ verdict }) => WANTING.has(verdict)).map(hazardPart)}<section class="card"><h2>What was checked</h2>${finding !== null && html`<p>${words(finding, "text")}</p>`}${facts(
    [
      ["Subscriber", code(url)],
      ["Sender", code(sender)],
      ["Event", code(event)],
      ["Seed", code(`${seed} at ${at}`)],
      ["Took", formatDuration(ms)],
    ],
  )}${table("Hazards", ["Verdict", "Hazard", "Result"], hazards.map(hazardRow))}${
    report.left_out.length > 0 && html`<p>${words(leftOutWords(report), "text")}</p>`
  }</section>`;
}

const hazardRow = ({ verdict: result, name, summary }: HazardResult): Html =>
  html`<tr class="${WANTING.has(result) ? "bad" : ""}"><td class="what">${result}</td><td>${code(name)}</td><td>${words(summary, "text")}</td></tr>`;

function hazardPart(hazard: HazardResult): Html {
  const { verdict: result, name, title, summary, exchanges, why, fix } = hazard;
  const isBad = result !== "warn";
  return html`<details class="scenario ${isBad ? "failed" : ""}"${isBad && html` open`}><summary>${verdict(isBad ? "failed" : result)}<h2>${words(title, "title")}</h2>${code(name)}</summary><div class="inside"><p><strong>${words(summary, "text")}</strong></p>${exchanges.map(exchangePart)}<p>${words(why, "text")}</p><p>${words(fix, "text")}</p><p>${words(assumedWords(hazard), "text")}</p></div></details>`;
}

const exchangePart = (exchange: ExchangeReport): Html =>
  block(
    [
      `${exchange.sent.method} ${exchange.sent.what}`,
      ...sentLines(exchange),
      `→ it ${answerLine(exchange)}`,
    ].join("\n"),
  );
