import { isBegin, isControl, isSamePoint, type StatementPoint } from "./point.ts";
import type { Statement, Statements } from "./statements.ts";

/** How long to wait for statements after a response, until the server's habits are known. */
const UNKNOWN_MS = 100;
/**
 * After this many deliveries that made the same statements and no later ones, the next one is not watched for late
 * work.
 */
const SURE_AFTER = 5;
/** How long to wait, beyond the time observed, for a handler that keeps working after its responses. */
const LATE_MS = 30;
/**
 * How long a delivery may go without a statement before it counts as waiting inside its process: the first time, and
 * later.
 */
const [PROCESS_MS, PROCESS_AGAIN_MS] = [400, 100];

/** A server's observed habits: which statements are its own, and when it makes them. */
export interface Habits extends Pick<Statements, "agree" | "pause"> {
  /** Records a statement made while nothing is being delivered. */
  noteIdle(text: string): void;
  /**
   * Whether a statement belongs to no delivery. @param isOwn whether its connection has already carried a delivery's
   * statement
   */
  isBackground(text: string, isOwn: boolean): boolean;
  /** Records how long after the response a statement was made, in milliseconds counted by a step's polling. */
  noteLate(statement: Statement, ms: number): void;
  /** Records all statements of a finished delivery. */
  noteEnd(made: readonly Statement[]): void;
  /**
   * How long to wait for further statements after a response, in real milliseconds. @param made the statements so far,
   * in order
   */
  patience(made: readonly Statement[]): number;
  /** Records that a delivery waited inside its process. */
  noteStuck(): void;
  /**
   * How long a delivery may go without a statement before it counts as waiting inside its process, in real
   * milliseconds.
   */
  processPatience(): number;
  isSteady(point: StatementPoint): boolean;
}

export function createHabits(): Habits {
  const background = new Set<string>();
  let hasBackgroundTransactions = false;
  let isPaused = false;
  /** The SQL of the statements that both calm runs made, and of those that only one of them made. */
  const steady = new Set<string>();
  const unsteady = new Set<string>();
  /** The statements of each delivery of the calm runs, if both runs made the same ones. */
  const whole = new Set<string>();
  const lateness = new WeakMap<Statement, number>();
  let hasLate = false;
  /** How many deliveries made the same statements, counted until the habit is known. */
  const repeated = new Map<string, number>();
  let late: number | undefined;
  let isKnown = false;
  let hasStuck = false;

  /** Whether a delivery of the calm runs made exactly these statements. After a failure, more may follow. */
  function isWhole(made: readonly Statement[]): boolean {
    const all = textsOf(made);
    const isLonger = (one: string) => one.length > all.length && one.startsWith(all);
    return whole.has(all) && made.every(({ met }) => met === null) && ![...whole].some(isLonger);
  }

  return {
    noteIdle(text) {
      if (isPaused) return;
      if (isBegin(text)) hasBackgroundTransactions = true;
      else if (!isControl(text) && !steady.has(text)) background.add(text);
    },
    // Transaction control statements look the same everywhere, so the connection's other statements decide.
    isBackground: (text, isOwn) =>
      isControl(text) ? hasBackgroundTransactions && !isOwn : background.has(text),
    noteLate(statement, ms) {
      hasLate = true;
      if (!isKnown) lateness.set(statement, ms);
      else if (steady.has(statement.text)) late = Math.max(late ?? 0, ms);
    },
    noteEnd(made) {
      if (isKnown) return;
      const all = textsOf(made);
      repeated.set(all, (repeated.get(all) ?? 0) + 1);
    },
    patience(made) {
      if (!isKnown) {
        const isSure = !hasLate && (repeated.get(textsOf(made)) ?? 0) >= SURE_AFTER;
        return isSure ? 0 : UNKNOWN_MS;
      }
      return late === undefined || isWhole(made) ? 0 : LATE_MS + 3 * late;
    },
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
      if (textsOf(one) === textsOf(other)) whole.add(textsOf(one));
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

const textsOf = (statements: readonly Statement[]): string =>
  statements.map(({ text }) => `${text}\0`).join("");
const keyOf = ({ text, occurrence }: StatementPoint): string => `${occurrence} ${text}`;
