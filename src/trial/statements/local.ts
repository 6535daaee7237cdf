import { openSqliteLines } from "./sqlite-lines.ts";
import type { Statements } from "./statements.ts";
import { createWatcher } from "./watcher.ts";

/**
 * Watches a server without a database that a proxy can stand before: its calls of an API, and its statements of SQLite.
 * @param hasSqlite whether its state is in SQLite
 * @param options of Node that its process gets in any case
 */
export async function openLocalStatements(
  hasSqlite: boolean,
  options: string | undefined,
): Promise<Statements> {
  const watcher = createWatcher();
  const lines = hasSqlite ? await openSqliteLines(watcher, options) : undefined;
  watcher.use({ freeze: () => lines?.freeze(), pids: () => [] });
  return {
    ...watcher,
    gate: watcher,
    env: lines?.env ?? {},
    close: async () => lines?.close(),
  };
}
