import type Database from "better-sqlite3";

/** The statement of an index among those that make tables. */
const INDEX = /create (unique )?index (\w+) on [^;]+/g;

/**
 * Gives a database the indexes that these statements make, and no others. They may change without a new form: data that an
 * earlier version wrote gets them when it is opened.
 * @param tables statements that make tables and their indexes
 */
export function matchIndexes(db: Database.Database, tables: readonly string[]): void {
  const wanted = new Map<string, string>();
  // As SQLite stores it.
  for (const [statement, unique = "", name] of tables.join("\n").matchAll(INDEX))
    wanted.set(
      name!,
      `CREATE ${unique.toUpperCase()}INDEX ${statement.slice(statement.indexOf(`${name} on`))}`,
    );
  const present = db
    .prepare("select name, sql from sqlite_master where type = 'index' and sql is not null")
    .all() as { name: string; sql: string }[];
  const others = present.filter(({ name, sql }) => wanted.get(name) !== sql);
  const kept = new Set(present.filter((index) => !others.includes(index)).map(({ name }) => name));
  const missing = [...wanted].filter(([name]) => !kept.has(name)).map(([, sql]) => sql);
  if (others.length + missing.length === 0) return;
  db.transaction(() => {
    for (const { name } of others) db.exec(`drop index "${name.replaceAll('"', '""')}"`);
    for (const sql of missing) db.exec(sql);
  })();
}
