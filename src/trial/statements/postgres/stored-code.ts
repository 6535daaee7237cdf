import type { Connection } from "../../database/postgres/client.ts";
import { hasReads, hasWrites, isControl } from "../point.ts";
import { withoutLiterals } from "../sql-form.ts";

/** Functions, procedures, and the tables whose triggers call them, except those of extensions and pure computations. */
const STORED = `
  select proname::text as name, pg_get_functiondef(p.oid) as code,
    array(select relname::text from pg_trigger join pg_class c on c.oid = tgrelid where tgfoid = p.oid and not tgisinternal) as tables
  from pg_proc p join pg_namespace n on n.oid = pronamespace
  where nspname not in ('pg_catalog', 'information_schema') and prokind in ('f', 'p') and provolatile = 'v'
    and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;
/** The body is quoted as a literal. */
const QUOTES = /\$(?:function|procedure)\$/g;
/** A procedure that ends transactions cannot run in one. */
const COMMITS = /\b(?:commit|rollback)\b/i;

/**
 * Reads a database's stored code.
 * @returns whether SQL reads and writes in one step, by itself, in functions that it calls, or in triggers. Outside a
 * transaction, its changes then become visible only with its own commit
 */
export async function findReadWrites({ inTurn, query }: Connection): Promise<(sql: string) => boolean> {
  const stored: { name: string; code: string; tables: string[] }[] = await inTurn(() => query(STORED));
  const both = stored.filter(({ code }) => {
    const body = withoutLiterals(code.replaceAll(QUOTES, ""));
    return hasReads(body) && hasWrites(body) && !COMMITS.test(body);
  });
  const functions = new Set(both.filter(({ tables }) => tables.length === 0).map(({ name }) => name));
  const tables = new Set(both.flatMap((one) => one.tables));
  const names = (text: string, pattern: RegExp): string[] =>
    [...text.matchAll(pattern)].map(([, name]) => name!.replaceAll('"', ""));
  return (sql) => {
    const text = withoutLiterals(sql);
    if (text.split(/;\s*/).some(isControl)) return false;
    if (names(text, /("[^"]+"|\w+)\s*\(/g).some((name) => functions.has(name))) return true;
    return (
      hasWrites(text) && (hasReads(text) || names(text, /("[^"]+"|\w+)/g).some((name) => tables.has(name)))
    );
  };
}
