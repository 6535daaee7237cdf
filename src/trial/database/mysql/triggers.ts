import { type Connection, literal, quoted } from "./client.ts";

/** A trigger, with everything needed to drop and recreate it. */
export interface Trigger {
  name: string;
  table: string;
  /** The `create trigger` statement, and the session settings under which it was written. */
  statement: string;
  mode: string;
  client: string;
  collation: string;
}

/** A database's triggers, ordered within each table by when they fire. */
export async function triggersIn({ query }: Connection, database: string): Promise<Trigger[]> {
  const all = await query(
    `select trigger_name as name, event_object_table as \`table\` from information_schema.triggers
     where trigger_schema = ? order by event_object_table, action_timing, event_manipulation, action_order`,
    [database],
  );
  const found: Trigger[] = [];
  for (const { name, table } of all) {
    const [shown] = await query(`show create trigger ${quoted(database)}.${quoted(name)}`);
    found.push({
      ...{ name, table, statement: shown["SQL Original Statement"], mode: shown.sql_mode },
      ...{ client: shown.character_set_client, collation: shown.collation_connection },
    });
  }
  return found;
}

/** Whether text can be sent in a character set other than UTF-8. */
const isPlain = (text: string): boolean => /^\p{ASCII}*$/u.test(text);

/** Runs a statement with the session settings under which it was written. */
export async function runAsWritten(
  { query }: Connection,
  { mode, client, collation, statement }: Pick<Trigger, "mode" | "client" | "collation" | "statement">,
): Promise<void> {
  const sent = isPlain(statement) ? client : "utf8mb4";
  await query(
    `set @sandglass_mode = @@session.sql_mode, session sql_mode = ${literal(mode)}, character_set_client = ${literal(sent)}, collation_connection = ${literal(collation)}`,
  );
  try {
    await query(statement);
  } finally {
    await query("set names utf8mb4 collate utf8mb4_bin; set session sql_mode = @sandglass_mode");
  }
}
