/** Preloaded by a process that is to be killed before the statement of SQLite that KILL_AT_STATEMENT counts to. */
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
