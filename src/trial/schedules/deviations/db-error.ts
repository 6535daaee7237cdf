import { type Answering, isBegin, isCall, isRollback, isServed } from "../../statements/point.ts";
import type { Interruption, Statement } from "../../statements/statements.ts";
import { isOk, type SentAttempt } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { againWords, statementWords } from "./shared.ts";

/** Rollbacks are excluded: a failed rollback would discard the changes anyway. */
const canFail = ({ text, of }: Statement): boolean => !isCall(of) && !isRollback(text);

/** Why handlers often do not catch an error, by kind of database. */
const UNCAUGHT: Partial<Record<Answering, string>> = {
  postgres:
    ' In Node.js, a client of pg without an error listener does that: add client.on("error", …) to each, including those from pool.connect().',
};
const uncaughtWords = (attempts: readonly SentAttempt[]): string =>
  attempts.flatMap(({ statements }) => statements.flatMap(({ of }) => UNCAUGHT[of] ?? []))[0] ?? "";

/**
 * Any statement can fail. @param fails describes the failure, as the end of a sentence that starts with the statement
 */
const failing = (
  name: string,
  does: Interruption,
  fails: string,
  isPossibleAt: (statement: Statement) => boolean = canFail,
): Deviation => ({
  name,
  isInside: true,
  restsOn: [],
  keepsFromWork: true,
  does,
  points: (statements) => statements.filter(isPossibleAt),
  line: ({ sent, answered }) => `${answered}, and statement ${sent.point?.number} ${fails}`,
  sentence: (parts) =>
    `In ${parts.speech.nameOf(parts.sent)}, ${statementWords(parts.sent.point!)} ${fails}${againWords(parts)}.`,
  explains: ({ attempts }) =>
    attempts.some(({ hasEnded }) => hasEnded)
      ? `An uncaught error stops its process, with everything in progress.${uncaughtWords(attempts)}`
      : attempts.some(({ deviation, status }) => deviation === name && isOk(status))
        ? "The handler responds with 2xx although a statement failed: respond with 5xx unless all of its work is done, so the event is sent again."
        : undefined,
});

export const dbError = failing("db-error", "refuse", "is refused by the database");
export const dbErrorLost = failing(
  "db-error-lost",
  "disconnect",
  "loses its connection",
  (statement) => canFail(statement) && isServed(statement.of),
);
/** Only transactions can have conflicts, but SQLite rejects any statement while another program is writing. */
export const dbErrorConflict = failing(
  "db-error-conflict",
  "conflict",
  "fails because another transaction blocks it",
  (statement) =>
    canFail(statement) &&
    (statement.of === "sqlite" || (statement.inTransaction && !isBegin(statement.text))),
);
