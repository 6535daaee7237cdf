import { raceWords } from "../../statements/race.ts";
import { type SentAttempt, TOO_LATE } from "../attempt.ts";
import type { Deviation } from "./deviation.ts";
import { canRepeat, isUnordered, metWords, nextWords, RETRIES, statementWords } from "./shared.ts";

/**
 * Two requests are handled at the same time: the first is held before a statement, or before the commit of a single
 * statement that reads and writes, while the second runs to completion.
 */
const interleaving: Pick<Deviation, "isInside" | "does" | "points" | "explains"> = {
  isInside: true,
  does: "hold",
  // Before the first statement, one request would simply follow the other. A held SQLite statement would block its process.
  points: (statements) => [
    ...statements.slice(1).filter(({ of }) => of !== "sqlite"),
    ...statements
      .filter(({ hasOwnCommit }) => hasOwnCommit)
      .map((one) => ({ ...one, atCommit: true as const })),
  ],
  explains({ attempts }) {
    const sent = attempts.find(({ point }) => point)!;
    const others = sent.overlaps.flatMap((index) => attempts[index]!.statements);
    return raceWords([...sent.statements, ...others].toSorted((one, other) => one.order - other.order));
  },
};

const waits = ({ point }: SentAttempt): string =>
  `waits before ${point?.atCommit ? "the commit of " : ""}statement ${point?.number}`;

/** A restarted sender repeats requests whose responses it does not know, even while they are still being handled. */
export const interleave: Deviation = {
  ...interleaving,
  name: "interleave",
  canHappenIn: canRepeat,
  restsOn: [],
  async carry({ hold, arrive, settle }) {
    hold(() => undefined);
    await arrive(settle);
  },
  line: ({ sent, answered }) => `${answered}, sent twice: the first ${waits(sent)}`,
  sentence: ({ sent, speech: { nameOf } }) =>
    `${nameOf(sent)} arrives a second time while the first is being handled, before ${statementWords(sent.point!)}.`,
};

/** Requests that are sent at the same time arrive together. */
export const interleaveNext: Deviation = {
  ...interleaving,
  name: "interleave-next",
  canHappenIn: isUnordered,
  restsOn: [],
  meets: "together",
  carry: ({ hold, settle }) => hold(settle, 0),
  line: ({ sent, answered, together }) => `${answered}${together}: ${waits(sent)}`,
  sentence: (parts) =>
    `${metWords(parts)} arrives while ${parts.speech.nameOf(parts.sent)} is being handled, before ${statementWords(parts.sent.point!)}.`,
};

/** Any subscriber may exceed the timeout, so the next request can arrive while it is still working. */
export const interleaveSlow: Deviation = {
  ...interleaving,
  name: "interleave-slow",
  restsOn: ["timeout", ...RETRIES],
  seenAs: "timeout",
  carry({ hold, settle }) {
    hold(() => undefined);
    settle(TOO_LATE);
  },
  line: ({ sent }) => `timeout: ${waits(sent)}`,
  sentence: (parts) =>
    `${parts.speech.nameOf(parts.sent)} takes longer than the timeout, and ${nextWords(parts)} arrives before ${statementWords(parts.sent.point!)} of it.`,
};
