/**
 * Preloaded by a process that must be killed before an SQLite statement. KILL_AT_STATEMENT is the number of that
 * statement.
 */
import Database from "better-sqlite3";

let left = Number(process.env.KILL_AT_STATEMENT);
const database = new Database(":memory:");
const statement = Object.getPrototypeOf(database.prepare("select 1"));
database.close();

for (const [target, name] of [
  [statement, "run"],
  [Database.prototype, "exec"],
]) {
  const original = target[name];
  target[name] = function (...values) {
    left -= 1;
    if (left === 0) process.kill(process.pid, "SIGKILL");
    return original.apply(this, values);
  };
}
