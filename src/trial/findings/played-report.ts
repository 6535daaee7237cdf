import type { Paint } from "../../reports/terminal.ts";
import { formatDuration } from "../../timeline/duration.ts";
import { plain, wrap } from "../../timeline/text.ts";
import type { PlayedFinding } from "./play.ts";
import { explorationLines } from "./report.ts";

export const titleOf = ({ finding: { data } }: PlayedFinding): string =>
  `${data.story}: ${data.schedule.join(", ") || "when everything goes well"}`;

/** A finding's result, and how to resolve an unknown one. */
export const reasonOf = ({ words, hint }: PlayedFinding): string => `${words} ${hint}`.trim();

/** A finding as terminal lines: its status and, if it still fails, what happens. */
export function playedLines(
  played: PlayedFinding,
  { paint, width }: { paint: Paint; width?: number | undefined },
): string[] {
  const { status, finding, exploration } = played;
  const color = status === "passed" ? paint.green : status === "failed" ? paint.red : paint.yellow;
  const wall = exploration === null ? "" : ` in ${formatDuration(exploration.wallMs)}`;
  const head = `${color(status)}  ${paint.bold(plain(finding.name))}  ${plain(titleOf(played))}${paint.dim(wall)}`;
  if (status === "passed") return [head];
  if (status === "failed" && exploration)
    return [
      head,
      ...explorationLines(exploration, { paint, width: (width ?? 80) - 2 }).map(
        (line) => line && `  ${line}`,
      ),
    ];
  return [head, ...wrap(plain(reasonOf(played)), 96).map((line) => `  ${paint.yellow(line)}`)];
}

export type PlayedView = ReturnType<typeof playedView>;

export const playedView = (played: PlayedFinding) => {
  const { finding, status, exploration } = played;
  return {
    ...{ name: finding.name, file: finding.file, status, reason: reasonOf(played) },
    ...{ finding: finding.data, result: exploration?.finding ?? null },
  };
};
