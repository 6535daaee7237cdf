import { wallNow, wallTimer } from "../../world/clock.ts";
import { createHabits } from "./habits.ts";
import type { Gate, Line, Passage, Unit } from "./line.ts";
import type { Locks } from "./locks.ts";
import { isSamePoint, type StatementPoint } from "./point.ts";
import type { StatementProxy } from "./proxy.ts";
import type { Interruption, Statement, StatementPlan, Statements, Watch } from "./statements.ts";

/** A statement that takes longer may wait for a lock. */
const SLOW_MS = 4;
/** How long nothing comes from a delivery, all of whose other statements are done, before it is taken to wait. */
const PAUSE_MS = 3;
/** How long a delivery may have nothing at its database before it is taken to wait inside its process. */
const PROCESS_MS = 400;
/** A transaction that is left open without a statement is no work under way. */
const LEFT_OPEN_MS = 400;
/** The longest that a delivery waits for another one. */
const LIMIT_MS = 5_000;
const POLL_MS = 2;

/** What the first request does is by 1, what the second does by 2. */
type By = Statement["by"];

/** A statement that passes through the watch of a step. */
interface Seen {
  statement: Statement;
  unit: Unit;
}

/** Decides what becomes of the statements of deliveries. */
export interface Watcher extends Gate, Pick<Statements, "watch" | "agree" | "pause"> {
  use(proxy: Pick<StatementProxy, "freeze" | "pids">): void;
}

/** Of what waits for nothing outside of its process. */
const NO_LOCKS: Locks = { blockersOf: async () => [], gone: async () => undefined };

export function createWatcher(locks = NO_LOCKS): Watcher {
  let proxy: Pick<StatementProxy, "freeze" | "pids">;
  const habits = createHabits();
  /** Whose statement was the latest of a connection. */
  const owners = new Map<Line, By>();
  let now: ReturnType<typeof createWatch> | undefined;

  function createWatch(planned: StatementPlan | undefined, usual: number) {
    let plan = planned;
    const all: Seen[] = [];
    let order = 0;
    let runner: By = 1;
    let isOver = false;
    let latest = wallNow();
    const requests: { isAnswered: boolean }[] = [];
    /** What waits at the point. */
    let held: (Seen & { pass?: (how: Passage) => void }) | undefined;
    /** A statement of the second request that waited for the first, and whose answer waits. */
    let blocked: Unit | undefined;
    let wake = (): void => undefined;

    const changed = (): void => {
      latest = wallNow();
      wake();
    };
    const next = (ms: number): Promise<void> =>
      new Promise((resolve) => {
        const cancel = wallTimer(ms, resolve);
        wake = () => {
          cancel();
          resolve();
        };
      });
    const atDatabase = (by: By): Unit[] =>
      all.flatMap(({ unit, statement }) =>
        statement.by === by && unit.sentAt !== undefined && !unit.isDone ? unit : [],
      );
    const isAnswered = (by: By): boolean => requests[by - 1]?.isAnswered ?? true;
    const quietFor = (): number => wallNow() - latest;
    const openTransactions = (by: By): number =>
      [...owners].filter(
        ([line, owner]) => owner === by && line !== held?.unit.line && line.inTransaction && !line.isClosed,
      ).length;
    /** Whether a request has had nothing at its database for so long that it waits inside its process. */
    const isStuck = (by: By): boolean =>
      !isAnswered(by) && atDatabase(by).length === 0 && quietFor() >= Math.max(PROCESS_MS, 2 * usual);

    /** Whether a request was answered, and what it does at its database is done. */
    function isDone(by: By): boolean {
      if (!isAnswered(by) || atDatabase(by).length > 0) return false;
      if (openTransactions(by) > 0 && quietFor() < LEFT_OPEN_MS) return false;
      return quietFor() >= habits.patience();
    }

    /** Whether a statement waits for a lock of another request. */
    async function waitsFor(other: By, { line, isDone: done }: Unit): Promise<boolean> {
      const pids = await locks.blockersOf(line.pid);
      return !done && pids.some((pid) => [...owners].some(([one, by]) => one.pid === pid && by === other));
    }

    const slowest = (by: By): Unit | undefined =>
      atDatabase(by).find(({ sentAt }) => wallNow() - sentAt! >= SLOW_MS);

    function release(): void {
      const { pass, unit, statement } = held ?? {};
      if (pass) statement!.order = order++;
      // From here on, nothing waits any more.
      plan = undefined;
      if (held) runner = 1;
      held = undefined;
      pass?.("pass");
      unit?.releaseAnswer();
    }

    /** Lets the second request go on that waited for the first. */
    function goOn(): void {
      const unit = blocked;
      blocked = undefined;
      runner = 2;
      unit?.releaseAnswer();
    }

    /** Waits until something holds. @returns false if the time for it is over */
    async function until(
      holds: () => boolean | Promise<boolean>,
      limit = Math.max(LIMIT_MS, 3 * usual),
    ): Promise<boolean> {
      for (const began = wallNow(); ; await next(POLL_MS)) {
        if (await holds()) return true;
        if (wallNow() - began > limit) return false;
      }
    }

    const watch: Watch = {
      sent(answered) {
        const request = { isAnswered: false };
        requests.push(request);
        if (requests.length > 1) runner = 2;
        const end = () => {
          request.isAnswered = true;
          changed();
        };
        answered.then(end, end);
      },

      async reached() {
        let isReached = false;
        await until(async () => {
          if (held?.unit.isDone === true || held?.pass) {
            const slow = slowest(1);
            const others = atDatabase(1).filter((unit) => unit !== held!.unit);
            isReached =
              (others.length === 0 && quietFor() >= PAUSE_MS) ||
              (slow !== undefined && (await waitsFor(1, slow)));
          }
          return isReached || (!held && isDone(1));
        });
        if (!isReached && held) release();
        return isReached;
      },

      async overtaken() {
        const isInTime = await until(async () => {
          if (isDone(2) || isStuck(2)) return true;
          const slow = slowest(2);
          if (!slow || !(await waitsFor(1, slow))) return false;
          slow.holdAnswer();
          blocked = slow;
          return true;
        });
        return isInTime && (blocked !== undefined || isDone(2));
      },

      release,

      freeze() {
        isOver = true;
        if (held?.pass) held.statement.order = order++;
        held = undefined;
        frozen = proxy.pids();
        proxy.freeze();
      },

      thaw: () => locks.gone(frozen),

      async end() {
        if (held) release();
        await until(async () => {
          if (blocked) {
            const slow = slowest(1);
            if (isDone(1) || isStuck(1) || (slow && (await waitsFor(2, slow)))) goOn();
          }
          return requests.every((_one, index) => isDone((index + 1) as By));
        }, Number.POSITIVE_INFINITY);
        isOver = true;
        if (now === state) now = undefined;
        for (const { unit, statement } of all) statement.result = unit.result;
        return all.map(({ statement }) => statement).toSorted((a, b) => a.order - b.order);
      },
    };
    let frozen: number[] = [];

    const state = {
      watch,
      countsAll: planned?.point.text === "",
      get isOver() {
        return isOver;
      },
      changed,
      arrive(unit: Unit): Promise<Passage> | undefined {
        const by = (unit.inTransaction && owners.get(unit.line)) || runner;
        owners.set(unit.line, by);
        const before = all.filter(({ statement }) => statement.by === by);
        const same = before.filter(({ statement }) => statement.text === unit.text);
        const point = { number: before.length + 1, text: unit.text, occurrence: same.length + 1 };
        const isPlanned =
          by === 1 && plan && isAt(point, plan.point) && all.every(({ statement }) => !statement.met);
        const does: Interruption | null = (isPlanned && plan?.does) || null;
        const statement: Statement = {
          ...{ ...point, of: unit.line.of, by, order: order++, inTransaction: unit.inTransaction },
          ...{ result: null, met: does },
          isSteady: habits.isSteady(point),
        };
        const seen = { statement, unit };
        all.push(seen);
        if (isAnswered(by)) habits.noteLate(statement, quietFor());
        changed();
        switch (does) {
          case null:
            return undefined;
          case "hold":
            return new Promise((pass) => {
              held = { ...seen, pass };
            });
          case "hold-answer":
            unit.holdAnswer();
            held = seen;
            return undefined;
          default:
            return Promise.resolve(does);
        }
      },
    };
    return state;
  }

  return {
    use(opened) {
      proxy = opened;
    },
    arrive(unit) {
      const { text, line } = unit;
      if (!unit.inTransaction) owners.delete(line);
      if (now?.countsAll && !now.isOver) return now.arrive(unit);
      if (!now || now.isOver) habits.noteIdle(text);
      else if (!habits.isBackground(text, owners.has(line))) return now.arrive(unit);
      return undefined;
    },
    leave({ line }) {
      if (line.isClosed) owners.delete(line);
      now?.changed();
    },
    watch(plan, usual = 0) {
      now = createWatch(plan, usual);
      return now.watch;
    },
    agree: habits.agree,
    pause: habits.pause,
  };
}

const isAt = (point: StatementPoint, planned: StatementPoint): boolean =>
  planned.text === "" ? point.number === planned.number : isSamePoint(point, planned);
