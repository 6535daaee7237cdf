import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { SandboxError } from "../errors/errors.ts";
import { shownValue } from "../errors/shown.ts";
import type { ScenarioFailure, SourcePosition } from "../reports/scenario-report.ts";
import { framesOf, isInstalled } from "../runtime/stack-frames.ts";
import type { ScenarioFile } from "./files.ts";
import { sourceOf } from "./files.ts";

const LONGEST_MESSAGE = 10_000;
/** The maximum length of a value shown on one line, such as a list of messages. */
const LONGEST_LINE = 400;
const clipLines = (text: string) =>
  text
    .split("\n")
    .map((line) =>
      line.length > LONGEST_LINE ? `${line.slice(0, LONGEST_LINE)}… (${line.length} characters)` : line,
    )
    .join("\n");

/**
 * Explains a thrown value to the person who runs the scenario.
 * @param scenario the scenario's file; its stack frames take precedence over those of its helpers
 * @param cwd the folder to which file names are relative
 */
export function failureOf(
  error: unknown,
  step: string | null,
  scenario: ScenarioFile,
  cwd: string,
): ScenarioFailure {
  const thrown = error instanceof Error ? error : new Error(`It threw ${shownValue(error)}.`);
  const message = clipLines(stripVTControlCharacters(thrown.message).trim()) || thrown.name;
  const plain = thrown.name === "Error" || thrown instanceof SandboxError || isExpectation(thrown);
  return {
    code: isExpectation(thrown) ? "expectation" : "error",
    message: (plain ? message : `${thrown.name}: ${message}`).slice(0, LONGEST_MESSAGE),
    hint: thrown instanceof SandboxError ? thrown.hint : "",
    step,
    position: positionIn(thrown.stack ?? "", scenario, cwd),
  };
}

/** Whether an error was thrown by the scenario's `expect` or by Node's assert. */
const isExpectation = (error: Error): boolean =>
  "matcherResult" in error || (error as { code?: string }).code === "ERR_ASSERTION";

/** The first stack frame in the scenario's file, or else in another file of the user's. */
export function positionIn(stack: string, scenario: ScenarioFile, cwd: string): SourcePosition | null {
  const frames = framesOf(stack);
  const own = frames.find(({ path }) => path === scenario.path || path === sourceOf(scenario.path));
  if (own) return { file: scenario.file, line: own.line, column: own.column };
  const near = frames.find(({ path }) => !relative(cwd, path).startsWith("..") && !isInstalled(path));
  return near ? { file: relative(cwd, near.path), line: near.line, column: near.column } : null;
}
