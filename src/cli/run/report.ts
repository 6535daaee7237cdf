import type { ScenarioProblem, ScenarioReport } from "../../reports/scenario-report.ts";
import { type ScenarioList, scenarioView } from "../../scenarios/catalog.ts";
import type { FoundFinding } from "../../trial/findings/choose.ts";
import type { PlayedFinding } from "../../trial/findings/play.ts";
import { MISUSE } from "../exit-codes.ts";
import { columns, paint, paintError, print, printJson } from "../output.ts";
import { writeReport } from "../report-files.ts";

interface WasRun {
  reports?: readonly ScenarioReport[];
  problems?: readonly ScenarioProblem[];
  played?: readonly PlayedFinding[];
}

export async function writeRunReports(
  { reports = [], problems = [], played = [] }: WasRun,
  { junit, html }: { junit?: string | undefined; html?: string | undefined },
): Promise<void> {
  if (junit !== undefined) {
    const [{ junitXml }, { scenarioSuites }, { playedSuites }] = await Promise.all([
      import("../../reports/junit.ts"),
      import("../../reports/scenario-junit.ts"),
      import("../../trial/report/junit.ts"),
    ]);
    writeReport("--junit", junit, junitXml([...scenarioSuites(reports, problems), ...playedSuites(played)]));
  }
  if (html !== undefined) {
    const [{ scenarioHtml }, { playedParts }] = await Promise.all([
      import("../../reports/html.ts"),
      import("../../trial/report/html.ts"),
    ]);
    const statuses = played.map(({ status }) => status);
    writeReport("--html", html, scenarioHtml(reports, { statuses, parts: playedParts(played) }));
  }
}

/** Lists scenarios and findings. @returns the exit code */
export function listAll(
  { scenarios, problems }: ScenarioList,
  findings: readonly FoundFinding[],
  { json }: { json?: boolean },
): number {
  if (json)
    printJson({
      scenarios: scenarios.map(scenarioView),
      findings: findings.map(({ name, file, data }) => ({ name, file, finding: data })),
      problems,
    });
  else {
    const rows = scenarios.map(({ name, title, file, shipped, params }) => [
      { text: name, color: paint.bold },
      title,
      { text: shipped ? "" : file, color: paint.dim },
      {
        text: Object.entries(params)
          .map(([key, spec]) => `${key}=${spec.default}`)
          .join(" "),
        color: paint.dim,
      },
    ]);
    for (const { name, file, data } of findings)
      rows.push([
        { text: name, color: paint.bold },
        `${data.story}: ${data.schedule.join(", ")}`,
        { text: file, color: paint.dim },
        { text: "", color: paint.dim },
      ]);
    for (const line of columns(rows)) print(line);
    for (const { message, hint } of problems) process.stderr.write(paintError(message, hint));
  }
  return problems.length > 0 ? MISUSE : 0;
}
