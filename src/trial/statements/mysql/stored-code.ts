import type { Connection } from "../../database/mysql/client.ts";
import { hasReads, hasWrites, isControl } from "../point.ts";
import { MYSQL, withoutLiterals } from "../sql-form.ts";

const STORED = `
  select routine_name as name, routine_definition as code, null as owner from information_schema.routines where routine_schema = ?
  union all select trigger_name, action_statement, event_object_table from information_schema.triggers where trigger_schema = ?`;
/** A procedure that ends transactions cannot run in one. */
const COMMITS = /\b(?:commit|rollback|start transaction)\b/i;
const CALLED = /(?:`([^`]+)`|\b(\w+))\s*\(|\bcall (?:`([^`]+)`|(\w+))/gi;
const NAMES = /`([^`]+)`|\b(\w+)/g;

/**
 * Reads a database's stored code.
 * @returns whether SQL reads and writes in one step, by itself, in routines that it calls, or in triggers. Outside a
 * transaction, its changes then become visible only with its own commit
 */
export async function findReadWrites(
  { inTurn, query }: Connection,
  database: string,
): Promise<(sql: string) => boolean> {
  const stored: { name: string; code: string | null; owner: string | null }[] = await inTurn(() =>
    query(STORED, [database, database]),
  );
  const both = stored.filter(({ code }) => {
    const body = withoutLiterals(code ?? "", MYSQL);
    return hasReads(body) && hasWrites(body) && !COMMITS.test(body);
  });
  const routines = new Set(both.filter(({ owner }) => owner === null).map(({ name }) => name.toLowerCase()));
  const tables = new Set(both.flatMap(({ owner }) => owner?.toLowerCase() ?? []));
  const names = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map((found) => found.slice(1).find(Boolean)!.toLowerCase());
  return (sql) => {
    const text = withoutLiterals(sql, MYSQL);
    if (text.split(/;\s*/).some(isControl)) return false;
    if (routines.size > 0 && names(text, CALLED).some((name) => routines.has(name))) return true;
    return hasWrites(text) && (hasReads(text) || names(text, NAMES).some((name) => tables.has(name)));
  };
}
