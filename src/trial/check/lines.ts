import type { Color, Paint } from "../../reports/terminal.ts";
import { shellArgument } from "../../runtime/shell.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { clip, count, plain, plainLines, wrap } from "../../timeline/text.ts";
import { VERDICTS, type Verdict } from "../hazards/hazard.ts";
import { HAZARD_NAMES } from "../hazards/index.ts";
import {
  assumedWords,
  type CheckReport,
  type ExchangeReport,
  type HazardResult,
  leftOutWords,
} from "./report.ts";

/** Wide enough for every name, so that lines printed one by one stay aligned. */
export const NAME_WIDTH = Math.max(...HAZARD_NAMES.map(({ length }) => length));
const PROSE_WIDTH = 96;
const LABEL_WIDTH = "came back".length + 2;
const BODY_CHARACTERS = 160;
/** The maximum number of requests printed for a hazard. The HTML report shows all. */
const MOST_SHOWN = 4;

export const verdictColor = (verdict: Verdict, paint: Paint): Color =>
  ({
    ...{ pass: paint.green, unknown: paint.yellow, warn: paint.yellow },
    ...{ flaky: paint.red, fail: paint.red, skipped: paint.dim },
  })[verdict];

export const isWanting = ({ verdict }: HazardResult): boolean => ["warn", "flaky", "fail"].includes(verdict);

/** The end of a report: the hazards that need attention, and a summary. */
export function reportLines(report: CheckReport, paint: Paint): string[] {
  const { hazards, counts, finding, seed, at, duration_ms: ms } = report;
  const skipped = hazards.find(({ verdict }) => verdict === "skipped");
  const wanting = hazards.filter(isWanting);
  const unseen = hazards.filter(({ verdict }) => verdict === "unknown");
  const sum = VERDICTS.filter((verdict) => counts[verdict] > 0)
    .map((verdict) => verdictColor(verdict, paint)(`${counts[verdict]} ${verdict}`))
    .join(", ");
  return [
    ...(skipped
      ? [
          `${paint.dim("skipped")}  ${count(counts.skipped, "hazard").padEnd(NAME_WIDTH)}  ${plain(skipped.summary)}`,
        ]
      : []),
    ...wanting.flatMap((one) => ["", ...hazardLines(one, paint)]),
    "",
    ...(report.left_out.length === 0 ? [] : prose(leftOutWords(report)).map(paint.dim)),
    `${sum} in ${formatDuration(ms)}.`,
    ...(finding === null ? [] : prose(finding).map((line) => paint.red(line))),
    paint.dim(`Repeat these requests: --seed ${shellArgument(plain(seed))} --at ${at}`),
    ...unseenLines(unseen, report).map(paint.yellow),
  ];
}

/** Lists the facts that neither the responses nor the state revealed. */
function unseenLines(unseen: readonly HazardResult[], { state_url: state, hazards }: CheckReport): string[] {
  const isAnswerOnly = hazards.some(({ verdict, note }) => verdict === "pass" && note !== null);
  if (unseen.length === 0 && (state !== null || !isAnswerOnly)) return [];
  const names = unseen.map(({ name }) => name).join(", ");
  const sentences = [
    ...(unseen.length === 0
      ? []
      : [`The responses do not show whether these were handled correctly: ${names}.`]),
    state === null
      ? "A pass only judges the response, not whether your server did anything. To check that, pass --state <url>: a URL whose response changes when an event is handled."
      : "The state does not show it, either: check your own data, or let npx sandglass explore compare the states.",
  ];
  return prose(sentences.join(" "));
}

/** Prints a hazard: its requests, the responses, why it matters and what to do. */
export function hazardLines(hazard: HazardResult, paint: Paint): string[] {
  const labelled = (label: string, lines: readonly string[]) =>
    lines.map((line, at) => `  ${paint.dim((at === 0 ? label : "").padEnd(LABEL_WIDTH))}${line}`);
  const { name, title, verdict, summary, exchanges, why, fix } = hazard;
  const assumed = assumedWords(hazard);
  const shown = tellingOf(exchanges);
  const left = exchanges.length - shown.length;
  return [
    `${verdictColor(verdict, paint)(verdict)}  ${name}: ${title}`,
    ...labelled("found", prose(summary)),
    ...shown.flatMap((one) => [
      ...labelled("sent", [`${one.sent.method} ${one.sent.what}`, ...sentLines(one).map(paint.dim)]),
      ...labelled("came back", [answerLine(one)]),
      ...(one.came_back.error === null || one.came_back.printed === ""
        ? []
        : labelled("printed", plainLines(one.came_back.printed))),
    ]),
    ...(left === 0
      ? []
      : labelled("", [paint.dim(`and ${count(left, "more request")}: --html shows all of them`)])),
    ...labelled("why", prose(why)),
    ...labelled(
      "fix",
      plainLines(fix).flatMap((line) => wrap(line, PROSE_WIDTH)),
    ),
    ...(assumed === "" ? [] : labelled("assumed", prose(assumed))),
  ];
}

/** If there are many requests, shows only those that were not accepted or, if all were accepted, the first and last. */
function tellingOf(exchanges: readonly ExchangeReport[]): readonly ExchangeReport[] {
  if (exchanges.length <= MOST_SHOWN) return exchanges;
  const refused = exchanges.filter(({ came_back: { error } }) => error !== null);
  if (refused.length > 0) return refused.slice(0, MOST_SHOWN);
  return [...exchanges.slice(0, MOST_SHOWN / 2), ...exchanges.slice(-MOST_SHOWN / 2)];
}

/** Describes a request: its method, and the parts that can be wrong. */
export const sentLines = ({ sent }: ExchangeReport): string[] => [
  ...Object.entries(sent.headers)
    .filter(([name]) => /signature|hmac/i.test(name))
    .map(([name, value]) => start(`${name}: ${value}`)),
  ...(sent.body ? [`${start(sent.body)} (${sent.body_bytes} bytes)`] : []),
];

export const answerLine = ({ came_back: { detail, duration_ms: ms, body } }: ExchangeReport): string =>
  `${detail} in ${formatDuration(ms)}${body === "" ? "" : `: ${start(body)}`}`;

const start = (text: string): string => plain(clip(text, BODY_CHARACTERS));

const prose = (text: string): string[] => wrap(plain(text), PROSE_WIDTH);
