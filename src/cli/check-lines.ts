import { shellArgument } from "../runtime/shell.ts";
import { formatDuration } from "../timeline/duration.ts";
import { clip, wrap } from "../timeline/text.ts";
import type { CheckOptions } from "../trial/check/check.ts";
import {
  assumedWords,
  type CheckReport,
  type ExchangeReport,
  type HazardResult,
  leftOutWords,
} from "../trial/check/report.ts";
import { type Hazard, VERDICTS, type Verdict } from "../trial/hazards/hazard.ts";
import { columns, fields, handsome, paint, print, printable } from "./output.ts";

const COLORS: Record<Verdict, (text: string) => string> = {
  pass: paint.green,
  unknown: paint.yellow,
  warn: paint.yellow,
  flaky: paint.red,
  fail: paint.red,
  skipped: paint.dim,
};
/** Wide enough for every name, so that lines that come one by one stay aligned. */
const VERDICT_WIDTH = "skipped".length;
const NAME_WIDTH = "truncated-signature".length;
const PROSE_WIDTH = 96;
const LABEL_WIDTH = "came back".length + 2;
const BODY_CHARACTERS = 160;
const CLEAR_LINE = "\r\u001b[K";

/** A line for each hazard as it comes; on a terminal also the one that is being tried. */
export function createProgress({
  url,
  event,
  sender,
  secretFrom = "",
}: Pick<CheckOptions, "url" | "event" | "sender" | "secretFrom">) {
  let begun = false;
  // A secret that is read from a file is easily overlooked.
  const signedWith = /^webhooks\.secret/.test(secretFrom) ? `, signed with ${secretFrom}` : "";
  const clear = () => {
    if (handsome) process.stdout.write(CLEAR_LINE);
  };

  return {
    started(name: string): void {
      if (handsome)
        process.stdout.write(`${CLEAR_LINE}${paint.dim(`${"…".padEnd(VERDICT_WIDTH)}  ${name}`)}`);
    },

    ended({ verdict, name, summary }: HazardResult): void {
      // Those are printed together, below.
      if (verdict === "skipped") return;
      clear();
      // Not before: one line is enough for a receiver that does not answer.
      if (!begun)
        print(paint.dim(`${printable(url)}, ${sender ? `${sender.name} ` : ""}${event}${signedWith}`));
      begun = true;
      print(line(verdict, name, summary));
    },

    /** Takes away the line of what is being tried. */
    clear,
  };
}

function line(verdict: Verdict, name: string, summary: string): string {
  const painted = { text: verdict.padEnd(VERDICT_WIDTH), color: COLORS[verdict] };
  return columns([[painted, name.padEnd(NAME_WIDTH), summary]])[0]!;
}

/** What follows the hazards: those that want a look, and the sum of it. */
export function reportLines(report: CheckReport): string[] {
  const { hazards, counts, finding, seed, at, duration_ms: ms } = report;
  const skipped = hazards.find(({ verdict }) => verdict === "skipped");
  const wanting = hazards.filter(({ verdict }) => ["warn", "flaky", "fail"].includes(verdict));
  const unseen = hazards.filter(({ verdict }) => verdict === "unknown");
  const sum = VERDICTS.filter((verdict) => counts[verdict] > 0)
    .map((verdict) => COLORS[verdict](`${counts[verdict]} ${verdict}`))
    .join(", ");
  return [
    ...(skipped ? [line("skipped", `${counts.skipped} hazards`, skipped.summary)] : []),
    ...wanting.flatMap(hazardLines),
    "",
    ...(report.left_out.length === 0 ? [] : prose(leftOutWords(report)).map(paint.dim)),
    `${sum} in ${formatDuration(ms)}.`,
    ...(finding === null ? [] : prose(finding).map((line) => paint.red(line))),
    paint.dim(`Repeat these requests: --seed ${shellArgument(printable(seed))} --at ${at}`),
    ...unseenLines(unseen, report),
  ];
}

/** What neither the answers nor the state showed. */
function unseenLines(unseen: readonly HazardResult[], { state_url: state, hazards }: CheckReport): string[] {
  const isAnswerOnly = hazards.some(({ verdict, note }) => verdict === "pass" && note !== null);
  if (unseen.length === 0 && (state !== null || !isAnswerOnly)) return [];
  const names = unseen.map(({ name }) => name).join(", ");
  const sentences = [
    ...(unseen.length === 0 ? [] : [`The answers do not show whether these were handled right: ${names}.`]),
    state === null
      ? "A pass says what was answered, not that your server did anything. To see it, pass --state <url>: a URL whose response changes when an event is handled."
      : "The state does not show it, either: check your own data, or let npx sandglass explore compare the states.",
  ];
  return prose(sentences.join(" ")).map((line) => paint.yellow(line));
}

function hazardLines(hazard: HazardResult): string[] {
  const { name, title, verdict, summary, exchanges, why, fix } = hazard;
  const assumed = assumedWords(hazard);
  return [
    "",
    `${COLORS[verdict](verdict)}  ${name}: ${title}`,
    ...labelled("found", prose(summary)),
    ...exchanges.flatMap(exchangeLines),
    ...labelled("why", prose(why)),
    ...labelled("fix", prose(fix)),
    ...(assumed === "" ? [] : labelled("assumed", prose(assumed))),
  ];
}

function exchangeLines({ sent, came_back: back }: ExchangeReport): string[] {
  const headers = Object.entries(sent.headers)
    .filter(([name]) => /signature|hmac/i.test(name))
    .map(([name, value]) => start(`${name}: ${value}`));
  const answer = back.body === "" ? "" : `: ${start(back.body)}`;
  return [
    ...labelled("sent", [
      `${sent.method} ${sent.what}`,
      ...headers.map((line) => paint.dim(line)),
      ...(sent.body ? [paint.dim(`${start(sent.body)} (${sent.body_bytes} bytes)`)] : []),
    ]),
    ...labelled("came back", [`${back.detail} in ${formatDuration(back.duration_ms)}${answer}`]),
  ];
}

const start = (text: string): string => printable(clip(text, BODY_CHARACTERS));

/** Lines with a label before the first. */
function labelled(label: string, lines: readonly string[]): string[] {
  return lines.map((line, at) => `  ${paint.dim((at === 0 ? label : "").padEnd(LABEL_WIDTH))}${line}`);
}

/** Prose in lines of a readable width. */
const prose = (text: string): string[] => wrap(printable(text), PROSE_WIDTH);

/** All hazards, and why each matters. */
export function hazardList(hazards: readonly Hazard[]): string[] {
  return hazards.flatMap(({ name, title, why }) => [
    ...fields([[name.padEnd(NAME_WIDTH), title]]),
    ...prose(why).map((line) => `  ${line}`),
    "",
  ]);
}
