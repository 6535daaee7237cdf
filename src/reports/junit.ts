import { xmlSafe } from "../timeline/text.ts";

/** Why a test case failed or could not be run. */
export interface TestProblem {
  /** A machine-readable code, such as `expectation`. */
  type: string;
  /** The message on one line, for use in a list of failures. */
  message: string;
  text: string;
}

export interface TestCase {
  name: string;
  /** The group into which JUnit readers sort the test case. */
  classname: string;
  /** The duration in real seconds. */
  time_s: number;
  /** The path of the test case's file, relative to the working directory. */
  file?: string;
  failure?: TestProblem;
  error?: TestProblem;
  skipped?: string;
  /** The output of the scenario. */
  output?: string;
}

export interface TestSuite {
  name: string;
  /** The duration in real seconds. */
  time_s: number;
  /** The real start time in ISO 8601 format, in UTC. */
  timestamp?: string;
  properties?: Record<string, string>;
  cases: TestCase[];
}

/**
 * Suites as JUnit XML, in the dialect that GitHub, GitLab and Jenkins all read: Ant's dialect, plus the file of each
 * test case. Strings may contain any characters; those that XML 1.0 forbids become U+FFFD.
 * @returns a complete document, ending with a line break
 */
export function junitXml(suites: readonly TestSuite[]): string {
  const cases = suites.flatMap((suite) => suite.cases);
  const time = suites.reduce((sum, { time_s }) => sum + time_s, 0);
  const head = attributes({
    name: "sandglass",
    tests: cases.length,
    ...problemsOf(cases),
    time: seconds(time),
  });
  const body = suites.map(suiteXml).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites${head}>\n${body}</testsuites>\n`;
}

function suiteXml({ name, time_s, timestamp, properties = {}, cases }: TestSuite): string {
  const head = attributes({
    name,
    tests: cases.length,
    ...problemsOf(cases),
    skipped: cases.filter(({ skipped }) => skipped !== undefined).length,
    time: seconds(time_s),
    // Ant's format allows neither fractions of a second nor a time zone, and strict readers reject both.
    timestamp: timestamp?.slice(0, 19),
  });
  const rows = Object.entries(properties).map(
    ([name, value]) => `      <property${attributes({ name, value })}/>\n`,
  );
  const list = rows.length > 0 ? `    <properties>\n${rows.join("")}    </properties>\n` : "";
  return `  <testsuite${head}>\n${list}${cases.map(caseXml).join("")}  </testsuite>\n`;
}

function caseXml({ name, classname, time_s, file, failure, error, skipped, output }: TestCase): string {
  const head = attributes({ name, classname, time: seconds(time_s), file });
  const parts: string[] = [];
  if (skipped !== undefined) parts.push(`<skipped${attributes({ message: skipped })}/>`);
  if (error) parts.push(problemXml("error", error));
  if (failure) parts.push(problemXml("failure", failure));
  if (output !== undefined) parts.push(`<system-out>${xmlText(output)}</system-out>`);
  if (parts.length === 0) return `    <testcase${head}/>\n`;
  return `    <testcase${head}>\n${parts.map((part) => `      ${part}\n`).join("")}    </testcase>\n`;
}

function problemXml(element: "failure" | "error", { type, message, text }: TestProblem): string {
  return `<${element}${attributes({ message, type })}>${xmlText(text)}</${element}>`;
}

function problemsOf(cases: readonly TestCase[]): { failures: number; errors: number } {
  return {
    failures: cases.filter(({ failure }) => failure !== undefined).length,
    errors: cases.filter(({ error }) => error !== undefined).length,
  };
}

const seconds = (value: number): string => value.toFixed(3);

function attributes(values: Record<string, string | number | undefined>): string {
  return Object.entries(values)
    .map(([name, value]) => (value === undefined ? "" : ` ${name}="${xmlAttribute(String(value))}"`))
    .join("");
}

const ESCAPES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

/** Escapes text for the content of an element. Parsing returns it unchanged, including line endings. */
function xmlText(text: string): string {
  return xmlSafe(text).replace(/[&<>\r]/g, (character) => ESCAPES[character] ?? reference(character));
}

/** Escapes text for a double-quoted attribute value. Unescaped, line endings and tabs would be parsed as spaces. */
function xmlAttribute(text: string): string {
  return xmlSafe(text).replace(/[&<>"\r\n\t]/g, (character) => ESCAPES[character] ?? reference(character));
}

const reference = (character: string): string => `&#${character.charCodeAt(0)};`;
