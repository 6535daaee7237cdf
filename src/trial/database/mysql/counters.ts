import { type Connection, quoted } from "./client.ts";

/** Server-managed counters. Setting them commits a transaction, so they are set after the rows have been restored. */

interface Counter {
  name: string;
  next: string | number | null;
}

/** Resets tables' auto-increment values that have changed. */
export async function restoreCounters(
  { query }: Connection,
  database: string,
  before: readonly Counter[],
): Promise<void> {
  const now: Counter[] = await query(
    `select table_name as name, cast(auto_increment as char) as next from information_schema.tables
     where table_schema = ? and auto_increment is not null`,
    [database],
  );
  for (const { name, next } of now) {
    const then = before.find((one) => one.name === name);
    if (then && then.next !== null && String(then.next) !== String(next))
      await query(`alter table ${quoted(database)}.${quoted(name)} auto_increment = ${then.next}`);
  }
}

/** A database's sequences, which exist only in MariaDB. */
export async function readSequences({ query }: Connection, database: string): Promise<Counter[]> {
  const all = await query(
    "select table_name as name from information_schema.tables where table_schema = ? and table_type = 'SEQUENCE'",
    [database],
  );
  const read: Counter[] = [];
  for (const { name } of all) {
    const [{ next }] = await query(
      `select cast(next_not_cached_value as char) as next from ${quoted(database)}.${quoted(name)}`,
    );
    read.push({ name, next });
  }
  return read;
}

export async function restoreSequences(
  connection: Connection,
  database: string,
  before: readonly Counter[],
): Promise<void> {
  if (before.length === 0) return;
  for (const { name, next } of await readSequences(connection, database)) {
    const then = before.find((one) => one.name === name);
    if (then && String(then.next) !== String(next))
      await connection.query(`alter sequence ${quoted(database)}.${quoted(name)} restart ${then.next}`);
  }
}
