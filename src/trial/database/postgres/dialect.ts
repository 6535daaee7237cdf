import type { Dialect, Readable } from "../dialect.ts";
import type { Fingerprints } from "../record.ts";
import { listed, MOST_ROWS, tooManyRows } from "../tables.ts";
import { SHAPES } from "./catalog.ts";
import { type Connection, connectTo, isBusy, literal, nameOf, quoted, schemaIn } from "./client.ts";
import { copyTables, findCopy, tablesIn, writeTables } from "./shelf.ts";

/**
 * Connects to a schema of a subscriber's Postgres database, with the package pg of the user's project.
 * @param address a `postgres://` URL; `?schema=` names the schema, by default the first of the search path
 * @throws SandboxError `bad_request` without pg or a URL, `unreachable`
 */
export async function connectPostgres(address: string, shown?: string): Promise<Dialect> {
  const connection = await connectTo(address);
  const { query, transaction, inTurn, end } = connection;
  let version: string | undefined;
  const schema = await inTurn(() => schemaOf(connection, address)).catch(async (error) => {
    await end();
    throw error;
  });

  async function isChanged(): Promise<boolean> {
    const [{ now }] = await query("select pg_current_snapshot()::text as now");
    const changed = now !== version;
    version = now;
    return changed;
  }

  /** Runs work in one snapshot, from which later changes by other connections can be noticed. */
  async function atOneInstant<Result>(work: () => Promise<Result>): Promise<Result> {
    version = undefined;
    let next: string | undefined;
    const result = await transaction(
      "begin isolation level repeatable read; set local synchronous_commit = off",
      async () => {
        const [{ snapshot, own }] = await query(
          "select pg_current_snapshot()::text as snapshot, pg_current_xact_id()::text as own",
        );
        // Only if no other transaction was in progress can none have ended unseen in between.
        if (snapshot === `${own}:${own}:`) next = `${BigInt(own) + 1n}:${BigInt(own) + 1n}:`;
        return work();
      },
    );
    version = next;
    return result;
  }

  return {
    ...{ shown: shown ?? connection.shown, name: nameOf(address), source: address },
    ...{ inTurn, end, isBusy, isChanged },
    tables: () => tablesIn(connection, schema),
    readRows: (tables) => readRows(connection, tables),
    async shapes(names) {
      return (await query(SHAPES, [quoted(schema)])).filter(({ name }) => names.includes(name));
    },
    observe: async (work) => ((await isChanged()) ? atOneInstant(() => work(true)) : work(false)),
    async copy(record, only) {
      // Fail before any change if rows cannot be restored.
      await writeTables(connection, async () => undefined);
      return copyTables(connection, record, schema, only);
    },
    findCopy: (record) => findCopy(connection, record, schema),
    placeOf: ({ id, noted }) => (noted.onCopy ? `the database ${id}` : `the schema ${id} of that database`),
    notCopied: () => notCopied(connection, schema),
    fingerprints: () => fingerprintsIn(connection, schema),
    work: {
      remove: async (record) => (await import("./work.ts")).removeWork(address, record),
      restore: async (record) =>
        (await import("./work.ts")).restoreFromWork(address, record, connection, schema),
    },
  };
}

export async function fingerprintsIn(connection: Connection, schema: string): Promise<Fingerprints> {
  const parts = (await tablesIn(connection, schema)).map(
    ({ name, from, form }) =>
      `select ${literal(name)} as name, ${literal(form)} || coalesce(md5(string_agg(r, ',' order by r)), '') as rows
       from (select sandglass_row::text as r from ${from} sandglass_row) all_rows`,
  );
  const found = parts.length === 0 ? [] : await connection.query(parts.join(" union all "));
  return Object.fromEntries(found.map(({ name, rows }) => [name, rows]));
}

/** The schema that an address names, or that unqualified names of its user refer to. */
export const schemaOf = async ({ query }: Connection, address: string): Promise<string> =>
  schemaIn(address) ?? (await query("select current_schema() as schema"))[0].schema;

async function readRows(
  { query, shown }: Connection,
  tables: readonly Readable[],
): Promise<[string, Record<string, unknown>[]][]> {
  if (tables.length === 0) return [];
  const parts = tables.map(
    ({ name, from }) =>
      `select ${literal(name)} as name, array(select row_to_json(sandglass_row)::text from ${from} sandglass_row order by xmin::text::bigint, ctid limit ${MOST_ROWS + 1}) as rows`,
  );
  let count = 0;
  return (await query(parts.join(" union all "))).map(({ name, rows }) => {
    count += rows.length;
    if (count > MOST_ROWS) throw tooManyRows(shown, name);
    return [name, rows.map(asJson)];
  });
}

/** A row as JSON values. Whole numbers too large for JavaScript are texts. */
function asJson(row: string): Record<string, unknown> {
  const exact = (_key: string, value: unknown, { source }: { source?: string } = {}) =>
    Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
  return JSON.parse(row, exact as Parameters<typeof JSON.parse>[1]);
}

async function notCopied({ query, shown }: Connection, schema: string): Promise<string | undefined> {
  const [{ schemas, objects }] = await query(
    `select array(select distinct nspname::text from pg_class c join pg_namespace n on n.oid = relnamespace
       where relkind in ('r', 'p') and nspname not in ('pg_catalog', 'information_schema', $1) and nspname not like 'pg\\_t%' and nspname not like 'sandglass\\_trial\\_%') as schemas,
     exists (select 1 from pg_largeobject_metadata) as objects`,
    [schema],
  );
  const parts = [
    ...(schemas.length > 0 ? [`the tables of ${listed(schemas)}`] : []),
    ...(objects ? ["large objects"] : []),
  ];
  return parts.length === 0
    ? undefined
    : `Of ${shown}, the schema ${schema} is put back, and not ${parts.join(", nor ")}: what your server changes there stays.`;
}
