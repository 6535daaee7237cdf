import { createRequire } from "node:module";
import { openOrm } from "./orms.mjs";

const require = createRequire(import.meta.url);

/**
 * The interface through which handlers use a database.
 * - `query(sql, values)` returns rows, and `write(sql, values)` returns the number of rows that it changed.
 * - `transaction(work, isolation)` passes `work` a database whose statements are part of the transaction; `locked(name,
 *   work)` passes one that holds a lock.
 * - `with(sql)` returns the same database, on which each connection starts with this statement.
 * - `seen(id)`, `note(id)` and `pay(order, amount)` are the statements that most handlers consist of; an ORM has its
 *   own calls for them.
 */
const SEEN = "select id from events where id = ?";
const NOTE = "insert into events (id) values (?)";
const PAY = `insert into orders (id, times, total) values (?, 1, ?)
  on duplicate key update times = times + 1, total = total + values(total)`;

/** @param run returns rows, or the header of a result */
const inSql = (run) => ({
  query: run,
  write: async (sql, values) => (await run(sql, values)).affectedRows,
  seen: async (id) => (await run(SEEN, [id])).length > 0,
  note: (id) => run(NOTE, [id]),
  pay: (order, amount) => run(PAY, [order, amount]),
});

/** @param runOn runs SQL on a connection or on a pool */
function openPool(pool, runOn, begins = []) {
  const using = async (work) => {
    const connection = await pool.getConnection();
    try {
      for (const sql of begins) await runOn(connection)(sql);
      return await work(connection);
    } finally {
      connection.release();
    }
  };
  const transactionOn = (connection) => async (work, isolation) => {
    const run = runOn(connection);
    try {
      if (isolation) await run(`set transaction isolation level ${isolation}`);
      await run("start transaction");
      const result = await work(inSql(run));
      await run("commit");
      return result;
    } catch (error) {
      await run("rollback").catch(() => undefined);
      throw error;
    }
  };
  return {
    ...inSql(
      begins.length === 0 ? runOn(pool) : (...given) => using((connection) => runOn(connection)(...given)),
    ),
    transaction: (...given) => using((connection) => transactionOn(connection)(...given)),
    locked: (name, work) =>
      using(async (connection) => {
        await runOn(connection)("select get_lock(?, 10)", [name]);
        try {
          return await work({ transaction: transactionOn(connection) });
        } finally {
          // Otherwise the connection's session would hold the lock forever.
          await runOn(connection)("select release_lock(?)", [name]).catch(() => connection.destroy());
        }
      }),
    with: (sql) => openPool(pool, runOn, [...begins, sql]),
  };
}

/** On a busy machine, a driver's usual limit for a new connection would make a correct handler fail. */
const PATIENCE = { connectTimeout: 60_000 };

/**
 * @param how `query`, which inserts values into the SQL, or `execute`, which prepares the statement. Control statements
 * cannot be prepared.
 */
function openMysql2(uri, how) {
  const pool = require("mysql2/promise").createPool({ uri, ...PATIENCE });
  return openPool(
    pool,
    (on) => async (sql, values) => (await (values ? on[how](sql, values) : on.query(sql)))[0],
  );
}

async function openMariadb(url) {
  const { default: mariadb } = await import("mariadb");
  const { hostname: host, port, username: user, password, pathname } = new URL(url);
  const place = { host, port: Number(port), database: pathname.slice(1) };
  const pool = mariadb.createPool({ ...place, user, password, ...PATIENCE, acquireTimeout: 60_000 });
  return openPool(pool, (on) => (sql, values) => (values ? on.execute(sql, values) : on.query(sql)));
}

export async function openDriver(name, url) {
  if (name === "mysql2") return openMysql2(url, "query");
  if (name === "mysql2-prepared") return openMysql2(url, "execute");
  if (name === "mariadb") return openMariadb(url);
  return openOrm(name, url);
}
