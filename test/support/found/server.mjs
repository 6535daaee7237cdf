// A server that loads its handler from a given file and uses a database through a given driver.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const { createServer } = process.getBuiltinModule("node:http");
const [driver, file, project] = process.argv.slice(2);
const require = createRequire(project);

function openPostgres(url) {
  const { Pool } = require("pg");
  const pool = new Pool({ connectionString: url });
  pool.on("error", () => undefined);
  pool.on("connect", (client) => client.on("error", () => undefined));
  const wrap = (client) => ({
    query: async (sql, ...values) => {
      const { rows, rowCount } = await client.query(sql, values);
      return Object.assign(rows, { count: rowCount });
    },
  });
  return {
    ...wrap(pool),
    async transaction(work) {
      const client = await pool.connect();
      try {
        await client.query("begin");
        const result = await work(wrap(client));
        await client.query("commit");
        return result;
      } catch (error) {
        await client.query("rollback").catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

function openMysql(uri) {
  const pool = require("mysql2/promise").createPool({ uri });
  const wrap = (client) => ({
    async query(sql, ...values) {
      const placed = [...sql.matchAll(/\$(\d)/g)].map(([, number]) => values[Number(number) - 1] ?? null);
      const [rows] = await client.execute(sql.replaceAll(/\$\d/g, "?"), placed);
      return Array.isArray(rows) ? rows : Object.assign([], { count: rows.affectedRows });
    },
  });
  return {
    ...wrap(pool),
    async transaction(work) {
      const client = await pool.getConnection();
      try {
        await client.beginTransaction();
        const result = await work(wrap(client));
        await client.commit();
        return result;
      } catch (error) {
        await client.rollback().catch(() => undefined);
        throw error;
      } finally {
        client.release();
      }
    },
  };
}

function openSqlite(path) {
  const { DatabaseSync } = driver === "node:sqlite" ? process.getBuiltinModule("node:sqlite") : {};
  const db = DatabaseSync ? new DatabaseSync(path) : new (require("better-sqlite3"))(path);
  const own = {
    async query(sql, ...values) {
      const statement = db.prepare(sql.replaceAll(/\$\d/g, "?"));
      const isNamed = typeof values[0] === "object" && values[0] !== null;
      const placed = isNamed
        ? values
        : [...sql.matchAll(/\$(\d)/g)].map(([, number]) => values[Number(number) - 1]);
      if (/^\s*(select|with)/i.test(sql)) return statement.all(...placed);
      return Object.assign([], { count: statement.run(...placed).changes });
    },
    async transaction(work) {
      db.exec("begin immediate");
      try {
        const result = await work(own);
        db.exec("commit");
        return result;
      } catch (error) {
        db.exec("rollback");
        throw error;
      }
    },
  };
  return own;
}

const address = process.env.DATABASE_URL;
const OPENERS = { pg: openPostgres, mysql2: openMysql };
const { default: handle, open } = await import(pathToFileURL(file).href);
const db = open
  ? await open(address)
  : OPENERS[driver]
    ? OPENERS[driver](address)
    : openSqlite(address.replace(/^(file|sqlite):/, ""));

createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  try {
    const event = JSON.parse(Buffer.concat(chunks));
    const { data } = event;
    response.statusCode =
      (await handle({ ...event, event, object: data?.object?.id ? data.object : data }, db)) ?? 200;
  } catch (error) {
    console.error(error);
    response.statusCode = error.status ?? 500;
  }
  response.end();
}).listen(Number(process.env.PORT), "127.0.0.1");
