import { wallNow, wallTimer } from "../../world/clock.ts";
import type { Line, Unit } from "./gate.ts";
import type { Habits } from "./habits.ts";
import type { StatementProxy } from "./proxy.ts";
import type { Statement } from "./statements.ts";
import type { Locks } from "./wire.ts";

/** A statement that takes longer may be waiting for a lock. */
const SLOW_MS = 4;
/** A transaction left open this long without a statement does not count as work in progress. */
const LEFT_OPEN_MS = 400;
/**
 * The maximum time that a delivery waits for another one, and how long after its responses it may still start
 * statements.
 */
const LIMIT_MS = 5_000;
const POLL_MS = 2;
/** The maximum time that one poll counts for: on a busy machine, the server gets no more turns than this process. */
const MOST_COUNTED_MS = 2 * POLL_MS;

/** A request of a step: the first, or the second, which overtakes the first. */
export type By = Statement["by"];

export interface Seen {
  statement: Statement;
  unit: Unit;
}

/** Everything needed to watch a step. */
export interface WatchParts {
  habits: Habits;
  locks: Locks;
  proxy: Pick<StatementProxy, "freeze" | "pids" | "isOpening">;
}

/** What a step's requests have done at the database so far. */
export class Traffic {
  readonly seen: Seen[] = [];
  readonly #requests: { isAnswered: boolean }[] = [];
  #order = 0;
  #answered = wallNow();
  #looked = wallNow();
  #quiet = 0;
  #wake = (): void => undefined;
  readonly #habits: Habits;
  readonly #locks: Locks;
  readonly #proxy: WatchParts["proxy"];
  readonly #usual: number;

  /** @param usual how long such a request took the first time, in real milliseconds */
  constructor({ habits, locks, proxy }: WatchParts, usual: number) {
    this.#habits = habits;
    this.#locks = locks;
    this.#proxy = proxy;
    this.#usual = usual;
  }

  /**
   * Records a request.
   * @param onLate gets the statement that is still running when the request is answered
   * @returns how many requests there are
   */
  begin(answered: Promise<unknown>, onLate: (statement: Statement) => void): number {
    const request = { isAnswered: false };
    const by = this.#requests.push(request) as By;
    const end = () => {
      request.isAnswered = true;
      this.#answered = wallNow();
      const last = this.seen.findLast(({ statement }) => statement.by === by);
      if (last && !(last.unit.isDone && !last.unit.line.inTransaction)) onLate(last.statement);
      this.changed();
    };
    answered.then(end, end);
    return by;
  }

  /** Records a statement as the latest. */
  add(
    unit: Unit,
    made: Omit<Statement, "of" | "order" | "inTransaction" | "hasOwnCommit" | "effects" | "result">,
  ): Seen {
    const { line, inTransaction, hasOwnCommit } = unit;
    line.owner = made.by;
    const order = this.nextOrder();
    const place = { of: line.of, order, inTransaction, hasOwnCommit };
    const seen = { unit, statement: { ...made, ...place, effects: unit.effects, result: null } };
    this.seen.push(seen);
    this.changed();
    return seen;
  }

  nextOrder = (): number => this.#order++;

  changed(): void {
    this.#quiet = 0;
    this.#wake();
  }

  /** How long `until` has seen no activity, in real milliseconds counted by its polling. */
  quietFor = (): number => this.#quiet;

  isLongAnswered = (): boolean =>
    this.#requests.length > 0 &&
    this.#requests.every(({ isAnswered }) => isAnswered) &&
    wallNow() - this.#answered > this.#limit();

  #limit = (): number => Math.max(LIMIT_MS, 3 * this.#usual);

  isAnswered = (by: By): boolean => this.#requests[by - 1]?.isAnswered ?? true;

  /** The statements of a request that the database is working on. */
  atDatabase(by: By): Unit[] {
    return this.seen.flatMap(({ unit, statement }) =>
      statement.by === by && unit.sentAt !== undefined && !unit.isDone ? unit : [],
    );
  }

  /** The connections last used by a request. */
  #linesOf = (by: By): Line[] =>
    this.seen.flatMap(({ unit: { line } }) => (line.owner === by && !line.isClosed ? line : []));

  /** Whether a request was answered and has no more work at the database. */
  isDone(by: By): boolean {
    if (!this.isAnswered(by) || this.atDatabase(by).length > 0) return false;
    const isOpen = this.#linesOf(by).some(({ inTransaction }) => inTransaction);
    const made = this.seen.flatMap(({ statement }) => (statement.by === by ? statement : []));
    return this.quietFor() >= Math.max(this.#habits.patience(made), isOpen ? LEFT_OPEN_MS : 0);
  }

  areDone = (): boolean => this.#requests.every((_one, index) => this.isDone((index + 1) as By));

  /** Whether a request has made no statement for so long that it must be waiting inside its process. */
  isStuck(by: By): boolean {
    if (this.isAnswered(by) || this.atDatabase(by).length > 0) return false;
    return this.quietFor() >= Math.max(this.#habits.processPatience(), 2 * this.#usual);
  }

  /** A statement of one request that waits for a lock of another request. */
  async blocked(by: By, of: By): Promise<Unit | undefined> {
    const slow = this.atDatabase(by).find(({ sentAt }) => wallNow() - sentAt! >= SLOW_MS);
    const pids = this.#linesOf(of).map(({ pid }) => pid);
    if (!slow || pids.length === 0) return undefined;
    return (await this.#locks.waitsFor(slow, pids)) && !slow.isDone ? slow : undefined;
  }

  /**
   * Whether a statement of an answered step, or of one without a response in time, has long been waiting for a lock that
   * another of the server's connections keeps.
   */
  async isDeadlocked(): Promise<boolean> {
    if (!this.#requests.every(({ isAnswered }) => isAnswered)) return false;
    const waiting = [...this.atDatabase(1), ...this.atDatabase(2)];
    const long = waiting.find(({ sentAt }) => wallNow() - sentAt! > this.#limit());
    return long !== undefined && this.#locks.waitsFor(long, this.#proxy.pids());
  }

  /** Waits until a condition holds. @returns false if the time limit was reached */
  async until(holds: () => boolean | Promise<boolean>, limit = this.#limit()): Promise<boolean> {
    for (const began = wallNow(); ; await this.#next()) {
      const looked = wallNow();
      // On a busy machine, the connection for the next statement may take a while to open.
      this.#quiet = this.#proxy.isOpening()
        ? 0
        : this.#quiet + Math.min(looked - this.#looked, MOST_COUNTED_MS);
      this.#looked = looked;
      if (await holds()) return true;
      if (wallNow() - began > limit) return false;
    }
  }

  #next = (): Promise<void> =>
    new Promise((resolve) => {
      const cancel = wallTimer(POLL_MS, resolve);
      this.#wake = () => {
        cancel();
        resolve();
      };
    });
}
