import { isBegin, isRollback } from "../../statements/point.ts";
import type { Interruption, Statement } from "../../statements/statements.ts";
import { isOk } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { againWords, statementWords } from "./shared.ts";

/** What a failure would undo is undone anyway. */
const isNoRollback = ({ text }: Statement): boolean => !isRollback(text);

/**
 * Any statement can fail.
 * @param fails how it does, as what follows a statement
 */
const failing = (
  name: string,
  does: Interruption,
  fails: string,
  isPossibleAt: (statement: Statement) => boolean = isNoRollback,
): Deviation => ({
  name,
  isInside: true,
  restsOn: [],
  keepsFromWork: true,
  does,
  points: (statements) => statements.filter(isPossibleAt),
  line: ({ sent, answered }) => `${answered}, and statement ${sent.point?.number} ${fails}`,
  sentence: (told) =>
    `In ${told.speech.nameOf(told.sent)}, ${statementWords(told.sent.point!)} ${fails}${againWords(told)}.`,
  explains: ({ attempts }) =>
    attempts.some(({ hasEnded }) => hasEnded)
      ? 'An error that nothing catches ends its process, with all that is under way. In Node.js, a client of pg without an error listener does that: add client.on("error", …) to each, also to those of pool.connect().'
      : attempts.some(({ deviation, status }) => deviation === name && isOk(status))
        ? "The handler answers 2xx although a statement failed: answer 5xx unless all of its work is done, so that the event comes again."
        : undefined,
});

export const dbError = failing("db-error", "refuse", "is refused by the database");
export const dbErrorLost = failing("db-error-lost", "disconnect", "meets a lost connection");
/** Only what runs in a transaction is done again as a whole. */
export const dbErrorConflict = failing(
  "db-error-conflict",
  "conflict",
  "fails with 40001, as its transaction cannot be serialized",
  (statement) => isNoRollback(statement) && statement.inTransaction && !isBegin(statement.text),
);
