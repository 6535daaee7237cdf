import type { Connection } from "../../database/postgres/client.ts";
import type { StoredCode } from "../stored-code.ts";

/**
 * Functions, procedures, and the tables whose triggers call them, except those from extensions and pure computations.
 */
const STORED = `
  select proname::text as name, pg_get_functiondef(p.oid) as code,
    array(select relname::text from pg_trigger join pg_class c on c.oid = tgrelid where tgfoid = p.oid and not tgisinternal) as tables
  from pg_proc p join pg_namespace n on n.oid = pronamespace
  where nspname not in ('pg_catalog', 'information_schema') and prokind in ('f', 'p') and provolatile = 'v'
    and not exists (select 1 from pg_depend d where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')`;
/** The function body is quoted as a literal. */
const QUOTES = /\$(?:function|procedure)\$/g;

/** Reads the functions and procedures of a database. */
export const storedIn = ({ inTurn, query }: Connection): Promise<StoredCode[]> =>
  inTurn(async () =>
    (await query(STORED)).map(({ code, ...one }) => ({ ...one, code: code.replaceAll(QUOTES, "") })),
  );
