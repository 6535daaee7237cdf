import { isBegin, isControl, isSamePoint, type StatementPoint } from "./point.ts";
import type { Statement, Statements } from "./statements.ts";

/** How long statements are waited for after an answer, until it is known whether there are any. */
const UNKNOWN_MS = 100;
/** The same of a handler that works on after its answers, beside what it was seen to need. */
const LATE_MS = 30;
/** How long a delivery may have nothing at its database before it is taken to wait inside its process; and once one has done that. */
const [PROCESS_MS, PROCESS_AGAIN_MS] = [400, 100];

/** What is known of the statements of a server. */
export interface Habits extends Pick<Statements, "agree" | "pause"> {
  /** Notes a statement that is made while nothing is delivered. */
  noteIdle(text: string): void;
  /** Whether a statement has nothing to do with deliveries. @param isOwn whether its connection had one that has */
  isBackground(text: string, isOwn: boolean): boolean;
  /** Notes that a statement came so long after the answer, real milliseconds. */
  noteLate(statement: Statement, ms: number): void;
  /** How long statements are waited for after an answer, real milliseconds. */
  patience(): number;
  /** Notes that a delivery waited inside its process. */
  noteStuck(): void;
  /** After how long without a statement a delivery is taken to wait inside its process, real milliseconds. */
  processPatience(): number;
  isSteady(point: StatementPoint): boolean;
}

export function createHabits(): Habits {
  const background = new Set<string>();
  let hasBackgroundTransactions = false;
  let isPaused = false;
  /** Texts of statements that two calm runs had, and statements that one of them had. */
  const steady = new Set<string>();
  const unsteady = new Set<string>();
  const lateness = new WeakMap<Statement, number>();
  let late: number | undefined;
  let isKnown = false;
  let hasStuck = false;

  return {
    noteIdle(text) {
      if (isPaused) return;
      if (isBegin(text)) hasBackgroundTransactions = true;
      else if (!isControl(text) && !steady.has(text)) background.add(text);
    },
    // What is in a transaction says whose it is.
    isBackground: (text, isOwn) =>
      isControl(text) ? hasBackgroundTransactions && !isOwn : background.has(text),
    noteLate(statement, ms) {
      if (!isKnown) lateness.set(statement, ms);
      else if (steady.has(statement.text)) late = Math.max(late ?? 0, ms);
    },
    patience: () => (!isKnown ? UNKNOWN_MS : late === undefined ? 0 : LATE_MS + 3 * late),
    noteStuck() {
      hasStuck = true;
    },
    processPatience: () => (hasStuck ? PROCESS_AGAIN_MS : PROCESS_MS),
    isSteady: (point) => !unsteady.has(keyOf(point)),
    pause() {
      isPaused = true;
      return () => {
        isPaused = false;
      };
    },
    agree(one, other) {
      isKnown = true;
      for (const [all, against] of [
        [one, other],
        [other, one],
      ] as const) {
        const points = all.filter((point) => {
          point.isSteady = against.some((each) => isSamePoint(each, point));
          if (!point.isSteady) unsteady.add(keyOf(point));
          return point.isSteady;
        });
        for (const [index, point] of points.entries()) {
          point.number = index + 1;
          steady.add(point.text);
          const ms = lateness.get(point);
          if (ms !== undefined) late = Math.max(late ?? 0, ms);
        }
      }
    },
  };
}

const keyOf = ({ text, occurrence }: StatementPoint): string => `${occurrence} ${text}`;
