import { callLines } from "../timeline/calls.ts";
import { formatDuration, roughly } from "../timeline/duration.ts";
import {
  describeWithEndpoint,
  type EndpointUrls,
  type Tone,
  urlsOf,
  worthShowing,
} from "../timeline/entries.ts";
import { between, instant } from "../timeline/instant.ts";
import { failureKind, positionText, stepOf, stepSummary } from "../timeline/scenario.ts";
import { count, plain, plainLines } from "../timeline/text.ts";
import type { JournalEntry } from "../world/journal.ts";
import type { LogLine, ScenarioReport, StepReport } from "./scenario-report.ts";

export type Color = (text: string) => string;

/** Functions that style text. Without colours, each of them returns its argument unchanged. */
export type Paint = Record<"bold" | "dim" | "green" | "red" | "yellow", Color>;

const same: Color = (text) => text;
/** Styles that add no colours, for example for output to files. */
export const UNPAINTED: Paint = { bold: same, dim: same, green: same, red: same, yellow: same };

export interface TerminalOptions {
  paint: Paint;
  /** Whether to print the steps and summaries of passed scenarios as well. */
  verbose?: boolean;
}

/**
 * How many summary entries are shown for a step. If the step failed, the last ones are shown, because they are closest
 * to the failure.
 */
const ENTRIES = 12;
const VERBOSE_ENTRIES = 40;

/**
 * A scenario as lines for a terminal: its result and, if it failed or with `verbose`, its steps with their effects,
 * followed by the failed expectation, its position and a hint.
 * @returns lines without line breaks, and without control characters except those from `paint`
 */
export function scenarioLines(report: ScenarioReport, options: TerminalOptions): string[] {
  const { paint, verbose = false } = options;
  const { failure, steps } = report;
  if (!failure) return [headLine(report, paint), ...(verbose ? body(report, options) : [])];
  const failed = stepOf(steps, failure);
  return [
    headLine(report, paint),
    ...body(report, options, failed),
    ...(failed ? [] : problemLines(report, paint, "  ")),
  ];
}

function headLine(report: ScenarioReport, paint: Paint): string {
  const { status, name, title, steps, expectations, started_at: from, ended_at: to, wall, params } = report;
  const verdict = status === "passed" ? paint.green("passed") : paint.red("failed");
  const settings = Object.entries(params).map(([key, value]) => `${key}=${value}`);
  const facts = [
    count(steps.length, "step"),
    count(expectations, "expectation"),
    `${roughly(between(from, to))} in ${formatDuration(wall.duration_ms)}`,
    ...settings.map(plain),
  ];
  return `${verdict}  ${paint.bold(plain(name))}  ${plain(title)}  ${paint.dim(facts.join(", "))}`;
}

function body(report: ScenarioReport, options: TerminalOptions, failed?: StepReport): string[] {
  const { paint } = options;
  const urls = urlsOf(report.endpoints);
  return [
    ...logLines(report.log, paint, "  "),
    ...report.steps.flatMap((step, index) => [
      stepLine(step, index, paint),
      ...logLines(step.log, paint, "     "),
      ...(step === failed || options.verbose ? ledgerLines(step, urls, options) : []),
      ...(step === failed ? problemLines(report, paint, "     ") : []),
    ]),
  ];
}

function stepLine(step: StepReport, index: number, paint: Paint): string {
  const { title, result } = step;
  const number = String(index + 1).padStart(4);
  const name = result === "failed" ? paint.red(`${plain(title)}  failed`) : plain(title);
  const facts = stepSummary(step);
  return `${paint.dim(number)} ${name}${facts === "" ? "" : `  ${paint.dim(facts)}`}`;
}

function ledgerLines(
  { ledger, result }: StepReport,
  urls: EndpointUrls,
  { paint, verbose }: TerminalOptions,
): string[] {
  const line = (entry: JournalEntry) => entryLine(entry, urls, paint);
  const most = verbose ? VERBOSE_ENTRIES : ENTRIES;
  const shown = worthShowing(ledger);
  const left = shown.length - most;
  if (left <= 0) return shown.map(line);
  return result === "failed"
    ? [paint.dim(`       ${left} before`), ...shown.slice(-most).map(line)]
    : [...shown.slice(0, most).map(line), paint.dim(`       and ${left} more`)];
}

function entryLine(entry: JournalEntry, urls: EndpointUrls, paint: Paint): string {
  const colors: Record<Tone, Color> = {
    good: paint.green,
    bad: paint.red,
    warning: paint.yellow,
    plain: (text) => text,
  };
  const { tone, title, detail } = describeWithEndpoint(entry, urls);
  return `       ${paint.dim(instant(entry.at))}  ${colors[tone](title)}${detail === "" ? "" : `  ${paint.dim(detail)}`}`;
}

function logLines(log: readonly LogLine[], paint: Paint, indent: string): string[] {
  return log.flatMap(({ at, text }) =>
    plainLines(text).map((line, index) => `${indent}${index === 0 ? paint.dim(instant(at)) : ""}  ${line}`),
  );
}

function problemLines({ failure, file, calls }: ScenarioReport, paint: Paint, indent: string): string[] {
  if (!failure) return [];
  const { code, message, position, hint } = failure;
  return [
    `${indent}${paint.red(failureKind(code))}`,
    ...plainLines(message).map((line) => `${indent}  ${line}`),
    `${indent}  ${paint.dim(`at ${plain(position ? positionText(position) : file)}`)}`,
    ...(hint === "" ? [] : plainLines(hint).map((line) => `${indent}  ${paint.yellow(line)}`)),
    ...callLines(calls).map((line) => `${indent}  ${line}`),
  ];
}

/** The status of a scenario or a saved finding. */
export type Status = "passed" | "failed" | "unknown";

/** Counts by status, such as `11 passed` and `1 failed`. */
export const statusCounts = (statuses: readonly Status[]): { status: Status; text: string }[] =>
  (["passed", "failed", "unknown"] as const).flatMap((status) => {
    const number = statuses.filter((one) => one === status).length;
    return number === 0 ? [] : { status, text: `${number} ${status}` };
  });

/**
 * The last line of the output: `11 passed, 1 failed, 9 d 3 h of virtual time in 4.1 s`.
 * @param wallMs the run's real time; by default, the sum of the scenarios' times
 * @param played saved findings, which are included in the counts
 */
export function summaryLine(
  reports: readonly ScenarioReport[],
  {
    paint,
    wallMs,
    played = [],
  }: TerminalOptions & { wallMs?: number; played?: readonly { status: Status }[] },
): string {
  const counts = statusCounts([...reports, ...played].map(({ status }) => status));
  const colors = { passed: paint.green, failed: paint.red, unknown: paint.yellow };
  const verdicts = counts.map(({ status, text }) => colors[status](text));
  if (reports.length === 0 && played.length > 0)
    return `${verdicts.join(", ")} in ${formatDuration(wallMs ?? 0)}`;
  return `${verdicts.join(", ") || "nothing was run"}, ${timesText(reports, wallMs)}`;
}

/** The virtual and real time in words: `9 d 3 h of virtual time in 4.1 s`. */
export function timesText(reports: readonly ScenarioReport[], wallMs?: number): string {
  const virtual = reports.reduce((sum, { started_at: from, ended_at: to }) => sum + between(from, to), 0);
  const wall = wallMs ?? reports.reduce((sum, report) => sum + report.wall.duration_ms, 0);
  return `${roughly(virtual)} of virtual time in ${formatDuration(wall)}`;
}
