import { createRequire } from "node:module";
import { openOrm } from "./orms.mjs";

const require = createRequire(import.meta.url);

/**
 * The interface through which handlers use a database.
 * - `query(sql, values)` returns rows.
 * - `transaction(work, isolation)` passes `work` a database whose statements are part of the transaction.
 * - `seen(id)`, `note(id)` and `pay(order, amount)` are the statements that most handlers consist of; an ORM has its
 *   own calls for them.
 */
const SEEN = "select id from events where id = $1";
const NOTE = "insert into events (id) values ($1)";
const PAY = `insert into orders (id, times, total) values ($1, 1, $2)
  on conflict (id) do update set times = orders.times + 1, total = orders.total + excluded.total`;

/** The statements as SQL. */
const inSql = (query) => ({
  query,
  seen: async (id) => (await query(SEEN, [id])).length > 0,
  note: (id) => query(NOTE, [id]),
  pay: (order, amount) => query(PAY, [order, amount]),
});

function openPg(connectionString) {
  const pool = new (require("pg").Pool)({ connectionString });
  pool.on("error", () => undefined);
  const queryWith = (client) => async (sql, values) => (await client.query(sql, values)).rows;
  return {
    ...inSql(queryWith(pool)),
    async transaction(work, isolation) {
      const client = await pool.connect();
      // A connection that is lost between two statements emits an error here.
      client.on("error", ignore);
      let failed;
      try {
        await client.query(isolation ? `begin isolation level ${isolation}` : "begin");
        const result = await work(inSql(queryWith(client)));
        await client.query("commit");
        return result;
      } catch (error) {
        failed = error;
        await client.query("rollback").catch(ignore);
        throw error;
      } finally {
        client.off("error", ignore);
        client.release(failed !== undefined && failed.code === undefined);
      }
    },
  };
}

const ignore = () => undefined;

async function openPostgresJs(url) {
  const { default: postgres } = await import("postgres");
  const sql = postgres(url, { onnotice: ignore });
  const queryWith = (client) => (text, values) => client.unsafe(text, values);
  return {
    ...inSql(queryWith(sql)),
    transaction: (work, isolation) =>
      sql.begin(isolation ? `isolation level ${isolation}` : "", (client) => work(inSql(queryWith(client)))),
  };
}

export async function openDriver(name, url) {
  if (name === "pg") return openPg(url);
  if (name === "postgres") return openPostgresJs(url);
  return openOrm(name, url);
}
