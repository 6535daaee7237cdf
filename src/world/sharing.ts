import type { Home } from "./home.ts";

/**
 * How many pieces of work share a transaction in memory: a commit copies every changed page, and a savepoint protects as much. In
 * a file, each has its own transaction, because confirmed work must be on disk.
 */
const MOST_SHARED = 64;

/** Begins and ends pieces of work, each of which is done completely or not at all. @param sql compiles a statement */
export function createSharing(home: Home, sql: (text: string) => { run(): unknown }) {
  const begin = sql("begin immediate");
  const commit = sql("commit");
  const rollback = sql("rollback");
  const beginShared = sql("savepoint work");
  const commitShared = sql("release work");
  const rollbackShared = sql("rollback to work");
  /** How many pieces of work the open transaction has. */
  let shared = 0;
  /**
   * Whether they share it. A full database rolls back everything uncommitted, so a large one commits each piece, as a file does.
   */
  let shares = home.inMemory;
  /** The number of marks. While there is one, a transaction stays open. */
  let marks = 0;

  /** Commits the transaction that the pieces of work share. */
  function commitAll(): void {
    if (marks === 0 && !home.resting && home.db().inTransaction) commit.run();
  }

  return {
    get shares(): boolean {
      return shares;
    },
    begin(): void {
      if (!home.db().inTransaction) {
        shares = home.inMemory && !home.leaveMemory();
        shared = 0;
        begin.run();
        if (!shares) return;
      }
      beginShared.run();
    },
    commit(): void {
      if (!shares && marks === 0) return void commit.run();
      commitShared.run();
      shared += 1;
      if (shared >= MOST_SHARED) commitAll();
    },
    rollback(): void {
      if (!home.db().inTransaction) return;
      if (!shares && marks === 0) return void rollback.run();
      rollbackShared.run();
      commitShared.run();
    },
    commitAll,
    /** Marks the present rows. @returns a function that restores them and ends later marks */
    mark(): () => void {
      commitAll();
      marks += 1;
      const own = marks;
      const run = (what: string) => sql(`${what} mark_${own}`).run();
      run("savepoint");
      return () => {
        marks = own;
        // SQLite's record of overwritten pages grows until a savepoint is released, which slows down all writes.
        for (const what of ["rollback to", "release", "savepoint"]) run(what);
      };
    },
    /** Forgets the marks because another database replaces the one that has them: its open transaction ends. */
    forgetMarks(): void {
      marks = 0;
      commitAll();
    },
  };
}
