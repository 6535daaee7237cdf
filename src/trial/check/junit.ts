import type { TestCase, TestSuite } from "../../reports/junit.ts";
import { SECOND } from "../../world/duration.ts";
import { UNPAINTED } from "../findings/report.ts";
import { hazardLines } from "./lines.ts";
import type { CheckReport, HazardResult } from "./report.ts";

const CLASS = "sandglass.check";

/** A check as a suite of JUnit XML with a case for each hazard; warnings are in a case's output. */
export function checkSuite(report: CheckReport): TestSuite {
  return {
    name: `sandglass check ${report.url}`,
    time_s: report.duration_ms / SECOND,
    properties: { sender: report.sender, seed: report.seed, at: report.at, event: report.event },
    cases: [
      ...report.hazards.map(hazardCase),
      ...report.left_out.map(({ name, title, reason }) => ({
        ...{ name: `${name}: ${title}`, classname: CLASS, time_s: 0 },
        skipped: `left out: ${reason}`,
      })),
    ],
  };
}

function hazardCase(hazard: HazardResult): TestCase {
  const { name, title, verdict, summary, note } = hazard;
  const head = { name: `${name}: ${title}`, classname: CLASS, time_s: hazard.duration_ms / SECOND };
  if (verdict === "skipped") return { ...head, skipped: summary };
  if (verdict === "unknown") return { ...head, skipped: `unknown: ${summary}. ${note}` };
  if (verdict === "fail" || verdict === "flaky") {
    const type = verdict === "flaky" ? verdict : name;
    return { ...head, failure: { type, message: summary, text: hazardText(hazard) } };
  }
  if (verdict === "warn") return { ...head, output: `warning: ${summary}\n${hazardText(hazard)}` };
  return { ...head, output: note === null ? summary : `${summary}. ${note}` };
}

/** All of a hazard: for who reads the report elsewhere. */
const hazardText = (hazard: HazardResult): string => hazardLines(hazard, UNPAINTED).join("\n");
