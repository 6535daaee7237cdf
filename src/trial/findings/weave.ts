import { clip, plain } from "../../timeline/text.ts";
import type { SentAttempt } from "../schedules/attempt.ts";
import { deviationIn } from "../schedules/deviations/index.ts";
import type { Run } from "../schedules/run.ts";
import type { Statement } from "../statements/statements.ts";

/** A delivery's statement: its text and the rows it changed. */
export interface WovenStatement {
  text: string;
  result: string;
}

/** Two deliveries' statements, in the order the database received them. */
export interface Weave {
  titles: [string, string];
  /** Each row contains a statement in one column, or marks an event. */
  rows: { column: 0 | 1; statement?: WovenStatement; mark?: string }[];
}

/** The line width in finding files and terminals, in characters. */
const WIDTH = 80;
const GAP = "  ";

const MARKS: Record<NonNullable<Statement["met"]>, string> = {
  hold: "waits here",
  "hold-answer": "the server is killed",
  "hold-commit": "waits here, before its commit",
  refuse: "refused",
  conflict: "refused: 40001",
  disconnect: "the connection is lost",
  fail: "returned 500",
  limit: "returned 429",
  lose: "its response is lost",
};

/** The statements of the interrupted delivery, next to those of the following one; undefined if there are none. */
export function weaveOf({ attempts }: Pick<Run, "attempts">): Weave | undefined {
  const sent = attempts.find(({ point, statements }) => point && statements.length > 0);
  if (!sent) return undefined;
  const isKilled = deviationIn(sent)?.server === "killed";
  const at = attempts.indexOf(sent);
  const beside = sent.overlaps[0] ?? -1;
  const isTwice = sent.statements.some(({ by }) => by === 2);
  const again = attempts.findIndex(
    ({ eventId, statements }, index) => index > at && eventId === sent.eventId && statements.length > 0,
  );
  const second = beside >= 0 ? beside : isTwice ? at : again;
  const both = [...sent.statements, ...(beside >= 0 ? attempts[beside]!.statements : [])].toSorted(
    (one, other) => one.order - other.order,
  );
  const rows: Weave["rows"] = [];
  let isMarked = false;
  for (const statement of both) {
    const { by, met } = statement;
    // Mark where the first delivery waits and the second begins.
    if (by === 2 && !isMarked) {
      const waiting = both.find((one) => one.met === "hold");
      if (waiting) rows.push({ column: 0, mark: `${MARKS.hold}, before statement ${waiting.number}` });
      isMarked = true;
    }
    if (met === "hold" && isKilled) rows.push({ column: 0, mark: MARKS["hold-answer"] });
    rows.push({ column: by === 1 ? 0 : 1, statement: wovenOf(statement) });
    if (met && met !== "hold") rows.push({ column: 0, mark: MARKS[met] });
  }
  if (second !== beside && second !== at && second >= 0)
    for (const statement of attempts[second]!.statements)
      rows.push({ column: 1, statement: wovenOf(statement) });
  return {
    titles: [titleOf(sent, at), second === at ? "the same, sent again" : titleOf(attempts[second], second)],
    rows,
  };
}

const titleOf = (sent: SentAttempt | undefined, at: number): string =>
  sent ? `${at + 1}  ${sent.event}` : "";

const wovenOf = ({ text, result }: Statement): WovenStatement => ({
  text: plain(text),
  result: resultWords(result),
});

/** Describes a command tag: `1 row` for `INSERT 0 1`; empty if it changes no row. */
function resultWords(result: string | null): string {
  if (result === null) return "not done";
  const [, rows] = /^(?:SELECT|INSERT|UPDATE|DELETE|MERGE|COPY|FETCH)\b.*?(\d+)$/.exec(result) ?? [];
  if (rows !== undefined) return rows === "1" ? "1 row" : `${rows === "0" ? "no" : rows} rows`;
  return /^[0-9A-Z]{5}$/.test(result) && /\d/.test(result) ? `error ${result}` : "";
}

/** Prints two columns without trailing spaces. */
export function weaveLines({ titles, rows }: Weave, width = WIDTH): string[] {
  const column = Math.floor((width - GAP.length) / 2);
  const cell = ({ statement, mark }: Weave["rows"][number]): string => {
    if (mark !== undefined) return clip(`-- ${mark} --`, column);
    const { text, result } = statement!;
    const left = column - (result === "" ? 0 : result.length + 1);
    return result === "" ? clip(text, left) : `${clip(text, left).padEnd(left)} ${result}`;
  };
  const line = (left: string, right: string): string => `${left.padEnd(column)}${GAP}${right}`.trimEnd();
  return [
    line(clip(titles[0], column), clip(titles[1], column)),
    ...rows.map((row) => (row.column === 0 ? line(cell(row), "") : line("", cell(row)))),
  ];
}
