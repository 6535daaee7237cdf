import { invalidState, type SandboxError } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";
import type { AbandonedCopy, MadeCopy } from "../copies.ts";
import { atDatabase, drawName, PREFIX } from "../copy-names.ts";
import { beganIn, type Dialect, unlikeTables, using } from "../dialect.ts";
import { listed, tellUser } from "../words.ts";
import { type Connection, codeOf, connectTo, databaseIn, literal, OWN_NAME, quoted } from "./client.ts";
import { cloneDatabase, copyRows, createEmpty } from "./clone.ts";
import { connectPostgres, schemaOf } from "./dialect.ts";
import { missingGrants } from "./rights.ts";
import { fingerprintsIn, LOCK, tablesIn, takeLock } from "./shelf.ts";
import { postgresValue } from "./variable.ts";

/** The schema with the user's rows in a copy. The copy's other shelf is made after the server has created its tables. */
const ORIGIN = `${PREFIX}_origin`;
/** The lock for making copies and for removing those of killed trials. */
const MAKING = LOCK + 1;

/** Copies a database for a server that a trial starts. The user's own database is only read. */
export async function copyPostgres(address: string): Promise<MadeCopy> {
  const shown = withoutPasswords(address);
  const { name, users, release } = await beside(address, async (connection) => {
    const name = drawName(`${await numberOf(connection, address)}_`);
    return locked(address, async () => {
      const users = await createCopy(connection, address, name);
      // From now on, the lock shows that the copy's trial is in progress.
      return { name, users, release: (await takeLock(atDatabase(address, name)))! };
    });
  });
  const copy = atDatabase(address, name);
  const remove = () => beside(address, (connection) => drop(connection, name));
  try {
    await using(connectPostgres(copy, { shown, shelf: ORIGIN }), async (dialect) => {
      await dropPublications(copy);
      await dialect.shelf.make();
    });
  } catch (error) {
    await release();
    await remove();
    throw error;
  }
  const atOrigin = <Result>(work: (dialect: Dialect) => Promise<Result>) =>
    using(connectPostgres(copy, { shown, shelf: ORIGIN }), work);
  return {
    ...{ source: copy, shown, original: address, place: `the database ${name}` },
    within: [],
    valueFor: (variable, place) => postgresValue(variable, address, place!),
    connections: () =>
      beside(address, async ({ query }) =>
        (await query(`select pid ${clientsOf(databaseIn(address))}`)).map(({ pid }) => Number(pid)),
      ),
    began: () => atOrigin(async ({ shelf }) => (await shelf.noted()).began),
    markUsed: () => atOrigin(({ shelf }) => shelf.note({ isUsed: true })),
    async restore() {
      if (users.length > 0)
        throw new Error(`others use it, so the server's rows cannot be told apart: ${listed(users)}`);
      await restoreFrom(copy, address);
    },
    async end(isKept) {
      await release();
      if (!isKept) await remove();
    },
  };
}

/** A database's copies from killed trials. */
export async function abandonedPostgres({ source, shown }: Dialect): Promise<readonly AbandonedCopy[]> {
  return beside(source, async (connection) => {
    const of = `${PREFIX}_${await numberOf(connection, source)}_`;
    return locked(source, async () => {
      const free = await connection.query(
        `select datname as name from pg_database d where starts_with(datname, $1) and not exists (
           select 1 from pg_locks where locktype = 'advisory' and database = d.oid and objid = ${LOCK}) order by 1`,
        [of],
      );
      const needed: AbandonedCopy[] = [];
      for (const { name } of free) {
        const copy = atDatabase(source, name);
        const began = await originIn(copy, shown);
        if (!began) {
          await drop(connection, name);
          continue;
        }
        needed.push({
          place: `the database ${name}`,
          changed: () =>
            using(connectPostgres(source, { shown }), async (now) =>
              unlikeTables(began, await now.fingerprints()),
            ),
          restore: () => restoreFrom(copy, source),
          remove: () => beside(source, (one) => drop(one, name)),
        });
      }
      return needed;
    });
  });
}

/** The fingerprints of the user's database stored in a copy, if the copy may still be needed. */
async function originIn(copy: string, shown: string) {
  try {
    return await using(connectPostgres(copy, { shown, shelf: ORIGIN }), beganIn);
  } catch {
    return undefined;
  }
}

/** Other programs' connections to a database. */
const clientsOf = (database: string): string =>
  `from pg_stat_activity where datname = ${literal(database)} and coalesce(backend_type, 'client backend') = 'client backend' and application_name <> '${OWN_NAME}'`;

/** Runs work on a connection to another database on the server, because a database in use cannot be copied. */
function beside<Result>(address: string, work: (connection: Connection) => Promise<Result>): Promise<Result> {
  const own = databaseIn(address);
  const [first, second] = ["postgres", "template1"].filter((name) => name !== own);
  const opening = connectTo(atDatabase(address, first!)).catch((error) => {
    if (second === undefined) throw error;
    return connectTo(atDatabase(address, second));
  });
  return using(opening, work);
}

/** Runs work while no other trial makes or removes copies. The lock has its own connection: copying needs no transaction. */
const locked = <Result>(address: string, work: () => Promise<Result>): Promise<Result> =>
  beside(address, ({ query, transaction }) =>
    transaction("begin; set local lock_timeout = 0", async () => {
      await query(`select pg_advisory_xact_lock(${MAKING})`);
      return work();
    }),
  );

const numberOf = async ({ query }: Connection, address: string): Promise<string> =>
  (await query("select oid::text from pg_database where datname = $1", [databaseIn(address)]))[0]?.oid ?? "0";

const drop = async ({ query }: Connection, name: string): Promise<void> =>
  void (await query(`drop database if exists ${quoted(name)} with (force)`));

/**
 * Drops publications, because a publication for all tables prevents deleting rows from tables without a key. A copy has
 * no subscribers.
 */
const dropPublications = (copy: string): Promise<void> =>
  using(connectTo(copy), async ({ query }) => {
    for (const { pubname } of await query("select pubname from pg_publication"))
      await query(`drop publication ${quoted(pubname)}`);
  });

const reading = <Result>(
  address: string,
  work: (connection: Connection, home: string) => Promise<Result>,
): Promise<Result> =>
  using(connectTo(address), async (connection) => work(connection, await schemaOf(connection, address)));

/**
 * Copies a database: as a whole or, if it is in use, with SQL.
 * @returns the database's other users
 * @throws SandboxError `invalid_state` if the user may not create a database, or for objects that SQL cannot copy
 */
async function createCopy(connection: Connection, address: string, to: string): Promise<readonly string[]> {
  const [from, shown] = [databaseIn(address), withoutPasswords(address)];
  const { query } = connection;
  const usersOf = async (): Promise<string[]> => {
    const users = await query(
      `select distinct coalesce(nullif(application_name, ''), usename, 'one') || ' (process ' || pid || ')' as name
       ${clientsOf(from)}`,
    );
    return users.map(({ name }) => name);
  };
  let users = await usersOf();
  try {
    if (users.length === 0) {
      try {
        await query(`create database ${quoted(to)} template ${quoted(from)}`);
        return [];
      } catch (error) {
        if (codeOf(error) !== "55006") throw error;
        users = await usersOf();
        if (users.length === 0) users = ["another trial"];
      }
    }
    await createEmpty(connection, from, to);
  } catch (error) {
    throw codeOf(error) === "42501" ? await mayNotCopy(connection, from, error as Error) : error;
  }
  try {
    const leftOut = await reading(address, (source) =>
      reading(atDatabase(address, to), (target) => cloneDatabase(source, target)),
    );
    if (leftOut.length > 0)
      tellUser(
        `The copy of ${shown} that the server works on lacks what SQL does not copy: ${listed(leftOut)}. The copy is only complete if nothing else uses the database, but these do: ${listed(users)}.`,
      );
    return users;
  } catch (error) {
    await drop(connection, to);
    throw invalidState(
      `The database ${shown} cannot be copied in SQL: ${(error as Error).message.replace(/\.$/, "")}. It can only be copied as a template while no other client uses it, but these do: ${listed(users)}.`,
      "Close them: your server, a psql session, a connected editor. With --start, the server works on a copy.",
    );
  }
}

async function mayNotCopy(connection: Connection, from: string, { message }: Error): Promise<SandboxError> {
  const [{ role }] = await connection.query("select current_user as role");
  const grants = await missingGrants(connection, from);
  return invalidState(
    `The user ${role} does not have permission to copy the database ${from}: ${message}. With --start, the server works on a copy.`,
    grants === "" ? "Connect as a superuser of your test database." : `Have a superuser run: ${grants}`,
  );
}

/** Restores the user's database from a copy's rows, wherever they differ. */
const restoreFrom = (copy: string, address: string): Promise<void> =>
  reading(copy, (source) =>
    reading(address, async (target, home) => {
      const origin = quoted(ORIGIN);
      const [{ note }] = await source.query(`select note from ${origin}.trial`);
      const copied = await source.query(`select number, name, form from ${origin}.copied`);
      await target.transaction("begin", async () => {
        await target.query("set local session_replication_role = replica");
        const changed = unlikeTables(note.began, await fingerprintsIn(target, home));
        for (const table of await tablesIn(target, home)) {
          const before = copied.find(({ name, form }) => name === table.name && form === table.form);
          if (!before || !changed.includes(table.name)) continue;
          await target.query([...table.off, `delete from ${table.from}`].join("; "));
          await copyRows(source, target, `${origin}.${quoted(`before ${before.number}`)}`, table);
          await target.query(table.on.join("; "));
        }
      });
      const sequences = await source.query(`select * from ${origin}.sequences`);
      for (const { sql, last_value: last, is_called: isCalled } of sequences)
        await target.query("select setval($1, $2, $3)", [sql, last, isCalled]);
    }),
  );
