import { type Html, html } from "../../html/html.ts";
import { describeWithEndpoint, type EndpointUrls, worthShowing } from "../../timeline/entries.ts";
import { plain } from "../../timeline/text.ts";
import type { JournalEntry } from "../../world/journal.ts";
import type { LogLine, ScenarioReport } from "../scenario-report.ts";
import type { Budget } from "./budget.ts";
import { leftOut, table, time, words } from "./parts.ts";

/** The maximum number of entries shown for one step, and for a whole journal. */
const MOST_OF_STEP = 300;
const MOST_OF_JOURNAL = 3_000;
/** The maximum number of log lines, and of e-mails. */
const MOST_LINES = 1_000;

export function ledgerList(ledger: readonly JournalEntry[], urls: EndpointUrls, budget: Budget): Html {
  const { shown, left } = budget.latest(worthShowing(ledger), MOST_OF_STEP, (one) => ledgerLine(one, urls));
  return html`${leftOut(left, "entry", "entries")}${shown.length > 0 && html`<ol class="ledger">${shown}</ol>`}`;
}

function ledgerLine(entry: JournalEntry, urls: EndpointUrls): Html {
  const { tone, title, detail } = describeWithEndpoint(entry, urls);
  return html`<li class="${tone}">${time(entry.at)}<span>${title}</span>${detail !== "" && html`<span class="soft">${detail}</span>`}</li>`;
}

/** A table of the world's latest journal entries. */
export function journalTable(journal: readonly JournalEntry[], urls: EndpointUrls, budget: Budget): Html {
  const { shown, left } = budget.latest(journal, MOST_OF_JOURNAL, (one) => journalRow(one, urls));
  return html`${leftOut(left, "entry", "entries")}${table("Journal", ["No.", "Virtual time", "What", "More", "Entry"], shown)}`;
}

function journalRow(entry: JournalEntry, urls: EndpointUrls): Html {
  const { tone, title, detail } = describeWithEndpoint(entry, urls);
  return html`<tr class="${tone}"><td>${entry.seq}</td><td>${time(entry.at)}</td><td class="what"><bdi>${title}</bdi></td><td class="soft"><bdi>${detail}</bdi></td><td><code>${plain(entry.type)}</code></td></tr>`;
}

export function logList(log: readonly LogLine[], budget: Budget): Html | false {
  const line = ({ at, text }: LogLine) => html`<li>${time(at)}<span>${words(text, "text")}</span></li>`;
  const { shown, left } = budget.latest(log, MOST_LINES, line);
  return log.length > 0 && html`${leftOut(left, "line", "lines")}<ol class="ledger log">${shown}</ol>`;
}

export function mailTable(mail: ScenarioReport["mail"], budget: Budget): Html | false {
  const row = ({ to, subject, created_at: at }: ScenarioReport["mail"][number]) =>
    html`<tr><td>${time(at)}</td><td>${words(to)}</td><td>${words(subject)}</td></tr>`;
  const { shown, left } = budget.latest(mail, MOST_LINES, row);
  return (
    mail.length > 0 &&
    html`<h3>E-mails</h3>${leftOut(left, "e-mail", "e-mails")}${table("E-mails", ["Virtual time", "To", "Subject"], shown)}`
  );
}
