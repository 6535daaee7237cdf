import type { Connection } from "../../database/mysql/client.ts";
import type { StoredCode } from "../stored-code.ts";

const STORED = `
  select routine_name as name, routine_definition as code, null as owner from information_schema.routines where routine_schema = ?
  union all select trigger_name, action_statement, event_object_table from information_schema.triggers where trigger_schema = ?`;

/** Reads the routines and triggers of a database. */
export const storedIn = ({ inTurn, query }: Connection, database: string): Promise<StoredCode[]> =>
  inTurn(async () =>
    (await query(STORED, [database, database])).map(({ name, code, owner }) => ({
      ...{ name, code: code ?? "", tables: owner === null ? [] : [owner] },
    })),
  );
