import { callLines } from "../timeline/calls.ts";
import { describeWithEndpoint, type EndpointUrls, urlsOf, worthShowing } from "../timeline/entries.ts";
import { instant } from "../timeline/instant.ts";
import { failureKind, failureLines, headline, stepOf } from "../timeline/scenario.ts";
import { clip, plain } from "../timeline/text.ts";
import type { TestCase, TestProblem, TestSuite } from "./junit.ts";
import type {
  LogLine,
  ScenarioFailure,
  ScenarioProblem,
  ScenarioReport,
  StepReport,
} from "./scenario-report.ts";

/** The maximum number of summary lines, and of log lines, in a test case. */
const LINES = 200;
const LINE = 1_000;
const SECOND_MS = 1_000;

/**
 * Converts reports to JUnit suites: one suite for each scenario, with a test case for each step. A failure outside any
 * step gets a test case of its own. So does a file that could not be loaded, in a suite named after it.
 */
export function scenarioSuites(
  reports: readonly ScenarioReport[],
  unloaded: readonly ScenarioProblem[] = [],
): TestSuite[] {
  return [...reports.map(suiteOf), ...unloaded.map(unloadedSuite)];
}

function suiteOf(report: ScenarioReport): TestSuite {
  const { name, title, wall, seed, subscriber, params, steps, failure } = report;
  const failedAt = failure ? stepOf(steps, failure) : undefined;
  const named = namer();
  const urls = urlsOf(report.endpoints);
  const cases = steps.map((step): TestCase => {
    const problem =
      step === failedAt ? problemOf(failure!, report) : step.result === "failed" ? caught(step) : undefined;
    return {
      ...caseOf(report, named(step.title), step.wall.duration_ms),
      ...problem,
      ...outputOf(step.log, step, urls),
    };
  });
  const loose = outputOf(report.log);
  if (failure && !failedAt)
    cases.push({
      ...caseOf(report, named(failureKind(failure.code)), 0),
      ...problemOf(failure, report),
      ...loose,
    });
  // JUnit readers do not show suites without cases.
  else if (cases.length === 0) cases.push({ ...caseOf(report, named(title), wall.duration_ms), ...loose });
  return {
    name,
    time_s: wall.duration_ms / SECOND_MS,
    timestamp: wall.started_at,
    properties: {
      title,
      seed,
      started_at: report.started_at,
      ended_at: report.ended_at,
      ...(subscriber === null ? {} : { subscriber }),
      ...Object.fromEntries(Object.entries(params).map(([key, value]) => [`param.${key}`, String(value)])),
    },
    cases,
  };
}

function caseOf({ name, file }: ScenarioReport, title: string, durationMs: number): TestCase {
  return { name: title, classname: name, time_s: durationMs / SECOND_MS, file };
}

/** Numbers repeated titles, because JUnit readers merge test cases with the same name. */
function namer(): (title: string) => string {
  const used = new Set<string>();
  return (title) => {
    let name = title;
    for (let number = 2; used.has(name); number += 1) name = `${title} (${number})`;
    used.add(name);
    return name;
  };
}

/** A scenario that did not finish is reported as an error, everything else as a failure. */
function problemOf(failure: ScenarioFailure, { calls }: ScenarioReport): Pick<TestCase, "failure" | "error"> {
  const problem: TestProblem = {
    type: failure.code,
    message: headline(failure.message) || failureKind(failure.code),
    text: [...failureLines(failure), ...callLines(calls)].join("\n"),
  };
  return failure.code === "error" || failure.code === "stopped" ? { error: problem } : { failure: problem };
}

function caught({ title }: StepReport): Pick<TestCase, "failure"> {
  const text = `The step "${plain(title)}" failed, and the scenario continued without it.`;
  return { failure: { type: "step", message: text, text } };
}

function outputOf(log: readonly LogLine[], step?: StepReport, urls?: EndpointUrls): { output?: string } {
  const ledger = step ? worthShowing(step.ledger) : [];
  const shown = ledger.slice(0, LINES).map((entry) => {
    const { title, detail } = describeWithEndpoint(entry, urls!);
    return `${instant(entry.at)}  ${title}${detail === "" ? "" : `: ${detail}`}`;
  });
  if (ledger.length > LINES) shown.push(`and ${ledger.length - LINES} more`);
  const logged = log.slice(0, LINES).map(({ at, text }) => `${instant(at)}  ${clip(plain(text), LINE)}`);
  if (log.length > LINES) logged.push(`and ${log.length - LINES} more lines`);
  const lines = [...logged, ...shown];
  return lines.length === 0 ? {} : { output: lines.join("\n") };
}

function unloadedSuite(unloaded: ScenarioProblem): TestSuite {
  const { file, message } = unloaded;
  const error = { type: "not_loaded", message: headline(message), text: failureLines(unloaded).join("\n") };
  return {
    name: file,
    time_s: 0,
    cases: [{ name: "The file can be loaded", classname: file, time_s: 0, file, error }],
  };
}
