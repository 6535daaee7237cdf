import { openSqliteLines } from "./sqlite-lines.ts";
import type { Statements } from "./statements.ts";
import { createWatcher } from "./watcher.ts";

/**
 * Watches a server without a database that a proxy can stand in front of: its API calls and its SQLite statements.
 * @param hasSqlite whether its state is in SQLite
 * @param options NODE_OPTIONS that its process gets in any case
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
