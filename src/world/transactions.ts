import type { Home } from "./home.ts";
import { LARGE_PAGES } from "./staged.ts";

/**
 * Manages transactions, and marks to which the rows can be restored.
 * @param sql compiles a statement
 */
export function createTransactions(home: Home, sql: (text: string) => { run(): unknown; get(): unknown }) {
  const pages = sql("pragma page_count");
  const begin = sql("begin immediate");
  const commit = sql("commit");
  const rollback = sql("rollback");
  const beginWork = sql("savepoint work");
  const endWork = sql("release work");
  const undoWork = sql("rollback to work");
  /** The number of marks. While there are any, one transaction stays open, and each piece of work is a savepoint in it. */
  let marks = 0;

  return {
    begin(): void {
      if (!home.db().inTransaction) {
        if (home.inMemory && (pages.get() as { page_count: number }).page_count >= LARGE_PAGES)
          home.leaveMemory();
        begin.run();
      }
      if (marks > 0) beginWork.run();
    },
    commit: (): void => void (marks > 0 ? endWork : commit).run(),
    rollback(): void {
      // SQLite rolls back on its own when the database is full.
      if (!home.db().inTransaction) return;
      if (marks === 0) return void rollback.run();
      undoWork.run();
      endWork.run();
    },
    /** Marks the current rows. @returns a function that restores them and discards later marks */
    mark(): () => void {
      marks += 1;
      const own = marks;
      const run = (what: string) => sql(`${what} mark_${own}`).run();
      run("savepoint");
      return () => {
        marks = own;
        // SQLite's savepoint journal grows until the savepoint is released, which slows down all writes. So renew it.
        for (const what of ["rollback to", "release", "savepoint"]) run(what);
      };
    },
    /** Discards the marks, because another database replaces the one with the open transaction. */
    forgetMarks(): void {
      marks = 0;
      if (!home.resting && home.db().inTransaction) commit.run();
    },
  };
}
