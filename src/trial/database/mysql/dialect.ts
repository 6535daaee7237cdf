import type { Dialect, Row, Rows } from "../dialect.ts";
import { MOST_ROWS } from "../limits.ts";
import { tooManyRows } from "../words.ts";
import { fingerprintsIn, type MysqlTable, shapesIn, tablesIn } from "./catalog.ts";
import { type Connection, connectTo, isBusy } from "./client.ts";
import { openLookup } from "./lookup.ts";
import { rowsOf } from "./read.ts";
import { openShelf, type ShelfOptions } from "./shelf.ts";

/**
 * Connects to a subscriber's MySQL or MariaDB database.
 * @param address a `mysql://` or `mariadb://` URL
 * @param options `shown` is the name by which the user knows the database, if it is a copy
 * @throws SandboxError `bad_request` for an invalid URL, `unreachable`
 */
export async function connectMysql(
  address: string,
  options: { shown?: string | undefined; shelf?: ShelfOptions["schema"] } = {},
): Promise<Dialect> {
  const connection = await connectTo(address);
  const { database } = connection.address;
  const { release, ...shelf } = openShelf(connection, {
    ...{ database, isCopy: options.shown !== undefined, schema: options.shelf },
  });
  return {
    ...{
      shown: options.shown ?? connection.shown,
      source: address,
      inTurn: connection.inTurn,
      isBusy,
      shelf,
    },
    isChanged: createChanges(connection),
    shapes: () => shapesIn(connection, database),
    lookup: openLookup(connection, database),
    async readRows(names) {
      const tables = (await tablesIn(connection, database)).filter(({ name }) => names.includes(name));
      return readRows(connection, tables);
    },
    fingerprints: async () => fingerprintsIn(connection, await tablesIn(connection, database)),
    async end() {
      await release();
      await connection.end();
    },
  };
}

/** Counters that every engine updates when rows or tables change, and when transactions end and make changes visible. */
const COUNTERS = [
  ...["Handler_write", "Handler_update", "Handler_delete", "Handler_commit", "Handler_rollback"],
  ...["Com_alter_table", "Com_create_table", "Com_drop_table", "Com_truncate", "Com_rename_table"],
];

/** Returns a function that reports whether other connections may have changed anything since its last call. */
function createChanges({ query }: Connection): Dialect["isChanged"] {
  let last: string | undefined;
  const list = COUNTERS.map((name) => `'${name}'`).join(", ");
  const sum = (rows: readonly { Value: string }[]) =>
    rows.reduce((all, { Value }) => all + BigInt(Value), 0n);
  return async () => {
    const own = await query(`show session status where variable_name in (${list})`);
    const all = await query(`show global status where variable_name in (${list})`);
    const now = String(sum(all) - sum(own));
    const isSame = now === last;
    last = now;
    return !isSame;
  };
}

async function readRows(connection: Connection, tables: readonly MysqlTable[]): Promise<Rows> {
  return connection.transaction(async () => {
    let count = 0;
    const all: [string, Row[]][] = [];
    for (const table of tables) {
      const rows = await rowsOf(connection, table, MOST_ROWS + 1);
      count += rows.length;
      if (count > MOST_ROWS) throw tooManyRows(connection.shown, table.name);
      all.push([table.name, rows]);
    }
    return Object.fromEntries(all);
  });
}
