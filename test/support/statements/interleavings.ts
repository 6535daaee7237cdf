import fc from "fast-check";
import type { Engine } from "./engines.ts";

/** The choices from which a handler is generated. */
export interface Drawn {
  /** The lock that it takes before anything else. */
  lock: "nothing" | "the account" | "the event";
  /** Whether it looks up the event first. */
  looks: boolean;
  /** When it records the event: before its work, after it, or never. */
  notes: "before" | "after" | "never";
  /** How it adds to the account's balance: in the database, or in its code. */
  adds: "in SQL" | "in code" | "in code, for update";
  inTransaction: boolean;
  /** Whether a unique index covers the recorded events. */
  isUnique: boolean;
}

export const drawn: fc.Arbitrary<Drawn> = fc
  .record({
    lock: fc.constantFrom("nothing", "nothing", "the account", "the event"),
    looks: fc.boolean(),
    notes: fc.constantFrom("before", "after", "after", "never"),
    adds: fc.constantFrom("in SQL", "in code", "in code, for update"),
    inTransaction: fc.constantFrom(true, true, false),
    isUnique: fc.boolean(),
  })
  // Outside a transaction, a lock is released when its statement ends.
  .map((made) => (made.inTransaction ? made : { ...made, lock: "nothing" }));

export interface Delivered {
  id: string;
  amount: number;
}

export type Rows = Record<string, unknown>[];
type Query = [sql: string, values?: unknown[]];

/**
 * The statements of a handler, one after another.
 * @returns the status of its response
 */
export function* statementsOf(
  made: Drawn,
  { id, amount }: Delivered,
  { lockEvent, releaseEvent, isDuplicate }: Engine,
): Generator<Query, number, Rows> {
  const note: Query = ["insert into events (id) values ($1)", [id]];
  const release: Query | undefined =
    made.lock === "the event" && releaseEvent !== undefined ? [releaseEvent, [id]] : undefined;
  try {
    if (made.inTransaction) yield ["begin"];
    if (made.lock === "the account") yield ["select id from accounts where id = 1 for update"];
    if (made.lock === "the event") yield [lockEvent, [id]];
    const isKnown = made.looks && (yield ["select id from events where id = $1", [id]]).length > 0;
    if (!isKnown) {
      if (made.notes === "before") yield note;
      if (made.adds === "in SQL") yield ["update accounts set total = total + $1 where id = 1", [amount]];
      else {
        const forUpdate = made.adds === "in code" ? "" : " for update";
        const [account] = yield [`select total from accounts where id = 1${forUpdate}`];
        yield ["update accounts set total = $1 where id = 1", [Number(account!.total) + amount]];
      }
      if (made.notes === "after") yield note;
    }
    if (made.inTransaction) yield ["commit"];
    if (release) yield release;
    return 200;
  } catch (error) {
    if (made.inTransaction) yield ["rollback"];
    if (release) yield release;
    return isDuplicate(error) ? 200 : 500;
  }
}

/** A connection to a database. */
export interface Database {
  query(sql: string, values?: unknown[]): Promise<Rows>;
}

/** Continues a handler with the rows that its statement returned, or with the error. */
const proceed = (work: ReturnType<typeof statementsOf>, answer: Promise<Rows>) =>
  answer.then(
    (rows) => work.next(rows),
    (error: Error) => work.throw(error),
  );

/** Runs a handler without interruption. */
export async function handleWith(
  database: Database,
  made: Drawn,
  event: Delivered,
  engine: Engine,
): Promise<number> {
  const work = statementsOf(made, event, engine);
  let next = work.next();
  while (!next.done) {
    const [sql, values] = next.value;
    next = await proceed(work, database.query(sql, values));
  }
  return next.value;
}

export interface Verdict {
  /** The first situation in which the state differs from that of the calm run. Nothing is run after that. */
  wrong: "after a failure" | "one after the other" | "interleaved" | null;
  /** Whether a statement had to wait for a lock. */
  hasBlocked: boolean;
}

/** Runs interleavings of two deliveries directly on the database. */
export interface BruteForce {
  /**
   * Runs all interleavings, for the same event twice and for two events, and each failure of a statement with the retry
   * that follows.
   */
  judge(made: Drawn): Promise<Verdict>;
  close(): Promise<void>;
}

const EVENTS: [Delivered, Delivered] = [
  { id: "one", amount: 5 },
  { id: "two", amount: 7 },
];
/** A statement that takes longer than this may be waiting for a lock. */
const SLOW_MS = 3;

export async function openBruteForce(url: string, engine: Engine): Promise<BruteForce> {
  const [watcher, ...both] = await Promise.all([engine.open(url), engine.open(url), engine.open(url)]);
  const [one, other] = both as [Opened, Opened];
  type Opened = typeof watcher;

  const empty = () => engine.empty(watcher);
  const state = async () => JSON.stringify(await engine.readState(watcher));
  const isBlocked = ({ pid }: Opened) => engine.isBlocked(watcher, pid);

  /** Starts a delivery that continues one statement at a time. */
  function begin(opened: Opened, made: Drawn, event: Delivered) {
    const work = statementsOf(made, event, engine);
    let next = work.next();
    let pending: Promise<void> | undefined;
    let isPending = false;
    const run = async ([sql, values]: Query) => {
      next = await proceed(work, opened.query(sql, values));
      isPending = false;
    };
    return {
      get status() {
        return next.done ? next.value : undefined;
      },
      get isPending() {
        return isPending;
      },
      /**
       * Waits for the statement in progress.
       * @returns whether it is waiting for a lock
       */
      async settle(): Promise<boolean> {
        for (; isPending; ) {
          await Promise.race([pending, new Promise((resolve) => setTimeout(resolve, SLOW_MS))]);
          if (isPending && (await isBlocked(opened)) && isPending) return true;
        }
        return false;
      },
      /**
       * Starts the next statement. Starting a transaction also runs the statement after it, because it has no effect on
       * the other delivery.
       */
      async step(): Promise<void> {
        isPending = true;
        if (!next.done && next.value[0] === "begin") {
          await run(next.value);
          isPending = true;
        }
        pending = run(next.value as Query);
      },
    };
  }

  /**
   * Runs two deliveries.
   * @param choices which delivery continues each time that both can; after the last choice, always the first delivery
   * @returns the choices that were made
   */
  async function play(made: Drawn, events: [Delivered, Delivered], choices: readonly number[]) {
    await empty();
    const deliveries = [begin(one, made, events[0]), begin(other, made, events[1])];
    const chosen: number[] = [];
    let hasBlocked = false;
    for (;;) {
      const able: number[] = [];
      for (const [index, delivery] of deliveries.entries()) {
        if (await delivery.settle()) hasBlocked = true;
        else if (delivery.status === undefined) able.push(index);
      }
      if (able.length === 0 && deliveries.every(({ status }) => status !== undefined)) break;
      if (able.length === 0) continue;
      let index = able[0]!;
      if (able.length === 2) {
        index = choices[chosen.length] ?? 0;
        chosen.push(index);
      }
      await deliveries[index]!.step();
    }
    // Send rejected events again.
    for (const [index, { status }] of deliveries.entries())
      if (status !== 200) await handleWith(one, made, events[index]!, engine);
    return { chosen, hasBlocked };
  }

  /** Whether the failure of a statement can lead to an event that is not handled exactly once. */
  async function failsWrong(made: Drawn, calm: string): Promise<boolean> {
    for (let failing = 1; ; failing += 1) {
      await empty();
      let count = 0;
      const status = await handleWith(
        {
          async query(sql, values) {
            count += 1;
            if (count !== failing) return one.query(sql, values);
            if (sql === "commit") await one.query("rollback");
            throw new Error("The statement fails.");
          },
        },
        made,
        EVENTS[0],
        engine,
      );
      if (count < failing) return false;
      if (status !== 200) await handleWith(one, made, EVENTS[0], engine);
      if ((await state()) !== calm) return true;
    }
  }

  return {
    async judge(made) {
      await engine.prepare(watcher, made);
      let hasBlocked = false;
      const [first] = EVENTS;
      for (const pair of [[first, first], EVENTS] as [Delivered, Delivered][]) {
        await empty();
        for (const event of new Set(pair)) await handleWith(one, made, event, engine);
        const calm = await state();
        const isSame = pair[0] === pair[1];
        if (isSame && (await failsWrong(made, calm))) return { wrong: "after a failure", hasBlocked };
        for (let choices: number[] | undefined = []; choices; ) {
          const played: Awaited<ReturnType<typeof play>> = await play(made, pair, choices);
          hasBlocked ||= played.hasBlocked;
          if ((await state()) !== calm)
            return { wrong: choices.length === 0 ? "one after the other" : "interleaved", hasBlocked };
          // The next choices in the order of a search tree. If both deliveries are the same, the first delivery always
          // starts.
          const last: number = played.chosen.lastIndexOf(0);
          choices = last < (isSame ? 1 : 0) ? undefined : [...played.chosen.slice(0, last), 1];
        }
      }
      return { wrong: null, hasBlocked };
    },
    async close() {
      await Promise.all([watcher, one, other].map((each) => each.end()));
    },
  };
}
