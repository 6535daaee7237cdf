import { wallSleep } from "../../../world/clock.ts";
import { canLast } from "../../statements/lasting.ts";
import { isSamePoint, type StatementPoint } from "../../statements/point.ts";
import type { Statement } from "../../statements/statements.ts";
import { ANSWER_LOST } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { againWords, ONE_TRANSACTION, statementWords } from "./shared.ts";

/**
 * A subscriber that takes longer than this is killed halfway. A faster one cannot be hit in the middle, so it is killed
 * before its response is sent.
 */
const QUICK_MS = 100;

/**
 * Whether nothing lasting changes between a point and the next one. The last point is followed by a crash just before
 * the response.
 */
function leavesSame(point: StatementPoint, statements: readonly Statement[]): boolean {
  const from = statements.findIndex((one) => isSamePoint(one, point));
  const next = statements.findIndex(({ isSteady }, index) => index > from && isSteady);
  return !statements.slice(from, next < 0 ? undefined : next).some(canLast);
}

/** @param when before a statement, or after it but before the server receives its result */
const crashing = (name: string, when: "before" | "after"): Deviation => ({
  name,
  server: "killed",
  seenAs: "failure",
  does: when === "before" ? "hold" : "hold-answer",
  // A server killed before its first statement has done nothing. A kill between two statements counts as a kill before
  // the second.
  points: (statements) => (when === "before" ? statements.slice(1) : statements.slice(-1)),
  ...(when === "after" ? { isInside: true } : { leavesSame }),
  encounter: {
    async interrupt({ server, watch }, done, usual) {
      if (!watch) await (usual > QUICK_MS ? wallSleep(usual / 2) : done);
      else if (await watch.reached()) watch.freeze();
      else return undefined;
      await server!.crash(watch?.thaw);
      await done;
      return ANSWER_LOST;
    },
  },
  line: ({ sent }) =>
    `the server is killed ${sent.point ? `${when} statement ${sent.point.number}` : "while it handles the request"}`,
  sentence: (parts) =>
    `The server is killed ${parts.sent.point ? `${when} ${statementWords(parts.sent.point)} of` : "while it handles"} ${parts.speech.nameOf(parts.sent)}${againWords(parts)}.`,
  advice: ONE_TRANSACTION,
});

/** A process can be killed at any moment and is restarted. Its pending responses are lost. */
export const crash = crashing("crash", "before");
export const crashAfter = crashing("crash-after", "after");
