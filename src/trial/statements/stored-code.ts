import { hasReads, hasWrites, isControl } from "./point.ts";
import { type SqlForm, withoutLiterals } from "./sql-form.ts";

/** A stored routine, or the code that the database runs for the triggers of some tables. */
export interface StoredCode {
  name: string;
  code: string;
  /** The tables whose triggers run the code; empty for a routine. */
  tables: readonly string[];
}

/** A procedure that ends transactions cannot run inside one. */
const COMMITS = /\b(?:commit|rollback|start transaction)\b/i;
const NAMES = /["`]([^"`]+)["`]|\b(\w+)/g;
const CALLED = /(?:["`]([^"`]+)["`]|\b(\w+))\s*\(|\bcall (?:["`]([^"`]+)["`]|(\w+))/gi;

const namesIn = (text: string, pattern: RegExp): string[] =>
  [...text.matchAll(pattern)].map((found) => found.slice(1).find(Boolean)!.toLowerCase());

/**
 * Finds out whether SQL reads and writes in one step: by its own words, in routines that it calls, or in triggers. Outside a
 * transaction, only its own commit then makes its changes visible.
 */
export function readWritesWith(stored: readonly StoredCode[], form: SqlForm): (sql: string) => boolean {
  const both = stored.filter(({ code }) => {
    const body = withoutLiterals(code, form);
    return hasReads(body) && hasWrites(body) && !COMMITS.test(body);
  });
  const routines = new Set(
    both.filter((one) => one.tables.length === 0).map((one) => one.name.toLowerCase()),
  );
  const tables = new Set(both.flatMap((one) => one.tables.map((table) => table.toLowerCase())));
  return (sql) => {
    const text = withoutLiterals(sql, form);
    if (text.split(/;\s*/).some(isControl)) return false;
    if (routines.size > 0 && namesIn(text, CALLED).some((name) => routines.has(name))) return true;
    return hasWrites(text) && (hasReads(text) || namesIn(text, NAMES).some((name) => tables.has(name)));
  };
}
