import { wallNow, wallSleep } from "../../world/clock.ts";
import type { Passage, Unit } from "./gate.ts";
import { noteAsked } from "./parameters.ts";
import { isSamePoint, type StatementPoint } from "./point.ts";
import type { Interruption, Statement, StatementPlan, Watch } from "./statements.ts";
import { type By, type Seen, Traffic, type WatchParts } from "./traffic.ts";

/** How long a delivery whose other statements are done may pause before it counts as waiting. */
const PAUSE_MS = 3;
/** How long a database process may keep running after its connection was closed, and how often to check. */
const [LEAVES_WITHIN_MS, POLL_MS] = [5_000, 5];

/** Watches a step. Receives the statements that pass the proxy. */
export class StepWatch implements Watch {
  /** Whether later statements no longer belong to this step. */
  isOver = false;
  /** Whether calls wait forever, because their process is about to be killed. */
  isFrozen = false;
  /** Whether background statements count as well. */
  readonly countsAll: boolean;
  readonly #parts: WatchParts;
  readonly #traffic: Traffic;
  #plan: StatementPlan | undefined;
  /** The request that a new statement belongs to. */
  #runner: By = 1;
  /** The statement that waits at the point. */
  #held: (Seen & { pass?: (how: Passage) => void }) | undefined;
  /** A statement of the second request that waited for the first, and whose response is held. */
  #blocked: Unit | undefined;
  #frozen: number[] = [];

  /** @param usual how long such a request took the first time, in real milliseconds */
  constructor(parts: WatchParts, plan: StatementPlan | undefined, usual: number) {
    this.#parts = parts;
    this.#traffic = new Traffic(parts, usual);
    this.#plan = plan;
    this.countsAll = plan !== undefined && "place" in plan;
  }

  /** Called when a request's statement is about to be sent. */
  arrive(unit: Unit): Promise<Passage> | undefined {
    const seen = this.#note(unit, (unit.inTransaction && unit.line.owner) || this.#runner);
    const { met } = seen.statement;
    if (met === "hold")
      return new Promise((pass) => {
        this.#held = { ...seen, pass };
      });
    if (met === "hold-answer" || met === "hold-commit") {
      unit.isHeld = true;
      this.#held = seen;
    }
    return met === null || met === "hold-answer" ? undefined : Promise.resolve(met);
  }

  #note(unit: Unit, by: By): Seen {
    const { habits } = this.#parts;
    const { seen: all } = this.#traffic;
    const before = all.filter(({ statement }) => statement.by === by);
    const same = before.filter(({ statement }) => statement.text === unit.text);
    const point = { number: before.length + 1, text: unit.text, occurrence: same.length + 1 };
    const isOpen = this.#plan && by === 1 && all.every(({ statement }) => !statement.met);
    const met = isOpen ? interruptionAt(this.#plan!, point, unit, before) : null;
    // Counted by polling, like the wait itself, so a busy machine affects both.
    const quiet = this.#traffic.quietFor();
    const seen = this.#traffic.add(unit, { ...point, by, met, isSteady: habits.isSteady(point) });
    if (this.#traffic.isAnswered(by)) habits.noteLate(seen.statement, quiet);
    return seen;
  }

  /** Whether the step's requests were answered so long ago that new statements cannot come from them. */
  isPast = (): boolean => !this.#held && !this.#blocked && this.#traffic.isLongAnswered();

  /** Called when the database has finished with a statement of the step. */
  changed(): void {
    this.#traffic.changed();
  }

  sent(answered: Promise<unknown>): void {
    const noteLate = (statement: Statement) => this.#parts.habits.noteLate(statement, 0);
    if (this.#traffic.begin(answered, noteLate) > 1) this.#runner = 2;
  }

  async reached(): Promise<boolean> {
    const traffic = this.#traffic;
    let isReached = false;
    await traffic.until(async () => {
      const held = this.#held;
      // The database refused to run the statement in a transaction, so it was not held.
      if (held && !held.pass && !held.unit.isHeld) this.#held = undefined;
      else if (held?.pass || held?.unit.isDone) {
        const isAlone = traffic.atDatabase(1).every((unit) => unit === held.unit);
        isReached =
          (isAlone && traffic.quietFor() >= PAUSE_MS) || (await traffic.blocked(1, 1)) !== undefined;
      }
      return isReached || (!this.#held && traffic.isDone(1));
    });
    if (!isReached) this.release();
    return isReached;
  }

  async overtaken(): Promise<boolean> {
    const traffic = this.#traffic;
    const isInTime = await traffic.until(async () => {
      if (traffic.isDone(2)) return true;
      if (traffic.isStuck(2)) {
        this.#parts.habits.noteStuck();
        return true;
      }
      this.#blocked = await traffic.blocked(2, 1);
      if (this.#blocked) this.#blocked.isHeld = true;
      return this.#blocked !== undefined;
    });
    return isInTime && (this.#blocked !== undefined || traffic.isDone(2));
  }

  release(): void {
    const held = this.#held;
    if (!held) return;
    // From here on, no statement is held.
    this.#plan = undefined;
    this.#held = undefined;
    this.#runner = 1;
    if (held.pass) held.statement.order = this.#traffic.nextOrder();
    held.pass?.("pass");
    held.unit.release();
  }

  freeze(): void {
    const { proxy } = this.#parts;
    this.isOver = true;
    this.isFrozen = true;
    if (this.#held?.pass) this.#held.statement.order = this.#traffic.nextOrder();
    this.#held = undefined;
    this.#frozen = proxy.pids();
    proxy.freeze();
  }

  thaw = async (): Promise<void> => {
    this.isFrozen = false;
    const pids = this.#frozen;
    for (const began = wallNow(); pids.length > 0 && wallNow() - began < LEAVES_WITHIN_MS; ) {
      if (!(await this.#parts.locks.isLeft(pids))) return;
      await wallSleep(POLL_MS);
    }
  };

  async end(): Promise<Statement[]> {
    const traffic = this.#traffic;
    this.release();
    await traffic.until(async () => {
      // The second request continues once the first is done or waits for the second.
      if (this.#blocked && (traffic.isDone(1) || traffic.isStuck(1) || (await traffic.blocked(1, 2)))) {
        this.#runner = 2;
        this.#blocked.release();
        this.#blocked = undefined;
      }
      return traffic.areDone() || (await traffic.isDeadlocked());
    }, Number.POSITIVE_INFINITY);
    this.isOver = true;
    for (const { unit, statement } of traffic.seen) {
      statement.result = unit.result;
      noteAsked(statement, unit);
    }
    const made = traffic.seen.map(({ statement }) => statement).toSorted((a, b) => a.order - b.order);
    this.#parts.habits.noteEnd(made);
    return made;
  }
}

/** @param before the request's earlier statements */
function interruptionAt(
  plan: StatementPlan,
  point: StatementPoint,
  { hasOwnCommit }: Pick<Unit, "hasOwnCommit">,
  before: readonly Seen[],
): Interruption | null {
  if ("place" in plan) {
    const first = point.number - 1 + before.filter(({ unit }) => unit.hasOwnCommit).length;
    if (point.number > 1 && plan.place === first) return "hold";
    return hasOwnCommit && plan.place === first + 1 ? "hold-commit" : null;
  }
  if (!isSamePoint(point, plan.point) || (plan.does === "hold-commit" && !hasOwnCommit)) return null;
  return plan.does;
}
