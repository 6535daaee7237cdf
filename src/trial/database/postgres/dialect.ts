import { notFound } from "../../../errors/errors.ts";
import type { Dialect, Row, Rows } from "../dialect.ts";
import { parseExact } from "../exact-json.ts";
import { MOST_ROWS } from "../limits.ts";
import { tooManyRows } from "../words.ts";
import { IN_ORDER, type PostgresTable, SHAPES } from "./catalog.ts";
import { type Connection, connectTo, isBusy, literal, schemaIn } from "./client.ts";
import { openLookup } from "./lookup.ts";
import { fingerprintsIn, openShelf, tablesIn } from "./shelf.ts";

/**
 * Connects to a subscriber's Postgres database.
 * @param address a `postgres://` URL; `?schema=` sets the default schema, otherwise the first in the search path
 * @param options `shown` is the name by which the user knows the database, if it is a copy; `shelf` is the schema of
 * its shelf
 * @throws SandboxError `bad_request` for an invalid URL, `unreachable`
 */
export async function connectPostgres(
  address: string,
  options: { shown?: string | undefined; shelf?: string | undefined } = {},
): Promise<Dialect> {
  const connection = await connectTo(address);
  const { query, inTurn } = connection;
  const home = await inTurn(() => schemaOf(connection, address)).catch(async (error) => {
    await connection.end();
    throw error;
  });
  const { release, ...shelf } = openShelf(connection, {
    ...{ address: options.shown === undefined ? address : undefined, home, schema: options.shelf },
  });
  let version: string | undefined;
  const shapes = async () => (await query(SHAPES, [home])) as Awaited<ReturnType<Dialect["shapes"]>>;
  return {
    ...{ shown: options.shown ?? connection.shown, source: address, inTurn, isBusy, shelf },
    async isChanged() {
      const [{ now }] = await query("select pg_current_snapshot()::text as now");
      const [least, most] = now.split(":");
      // A transaction in progress may commit changes without altering the snapshot's text.
      const isSame = now === version && least === most;
      version = now;
      return !isSame;
    },
    shapes,
    lookup: openLookup(connection, home, { tables: () => tablesIn(connection, home), shapes }),
    async readRows(names) {
      const tables = (await tablesIn(connection, home)).filter(({ name }) => names.includes(name));
      return readRows(connection, tables);
    },
    fingerprints: () => fingerprintsIn(connection, home),
    async end() {
      await release();
      await connection.end();
    },
  };
}

/** The schema in a URL or, if the URL specifies none, the user's default schema. */
export async function schemaOf({ query, shown }: Connection, address: string): Promise<string> {
  const named = schemaIn(address) ?? null;
  const [found] = await query(
    "select nspname::text as name from pg_namespace where nspname = coalesce($1, current_schema())",
    [named],
  );
  if (found) return found.name;
  throw notFound(
    named === null
      ? `${shown} has no schema for unqualified names.`
      : `The database ${shown} has no schema ${named}.`,
    "Correct ?schema= in the URL, or create the schema first.",
  );
}

async function readRows({ query, shown }: Connection, tables: readonly PostgresTable[]): Promise<Rows> {
  if (tables.length === 0) return {};
  const parts = tables.map(
    ({ name, from }) =>
      `select ${literal(name)} as name, array(select row_to_json(sandglass_row)::text from ${from} sandglass_row ${IN_ORDER} limit ${MOST_ROWS + 1}) as rows`,
  );
  let count = 0;
  return Object.fromEntries(
    (await query(parts.join(" union all "))).map(({ name, rows }) => {
      count += rows.length;
      if (count > MOST_ROWS) throw tooManyRows(shown, name);
      return [name, rows.map((row: string) => parseExact(row) as Row)];
    }),
  );
}
