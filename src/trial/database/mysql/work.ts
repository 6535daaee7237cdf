import { invalidState } from "../../../errors/errors.ts";
import { withoutPasswords } from "../../../runtime/redact.ts";
import type { AbandonedCopy, MadeCopy } from "../copies.ts";
import { atDatabase } from "../copy-names.ts";
import { beganIn, type Dialect, unlikeTables, using } from "../dialect.ts";
import { listed, tellUser } from "../words.ts";
import { readAddress } from "./address.ts";
import { type Connection, connectTo, isDenied, OWN_CONNECTIONS, quoted } from "./client.ts";
import { cloneDatabase } from "./clone.ts";
import { connectMysql } from "./dialect.ts";
import { beside, holdLock, isFree, locked } from "./lock.ts";
import { databasesOf, drawCopy, isCopyOf, originOf } from "./names.ts";
import { mayNotCreate } from "./shelf.ts";
import { mysqlValue } from "./variable.ts";

/** Copies a database for a server that a trial starts. The user's own database is only read. */
export async function copyMysql(address: string): Promise<MadeCopy> {
  const shown = withoutPasswords(address);
  const { database } = readAddress(address);
  const name = drawCopy(database);
  const copy = atDatabase(address, name);
  const users = await beside(address, (connection) => usersOf(connection, database));
  /** Runs work on the user's own database, with the copied rows from before the trial. */
  const atOrigin = <Result>(work: (dialect: Dialect) => Promise<Result>) =>
    using(connectMysql(address, { shown, shelf: { name: originOf(name), isOnlyRead: true } }), work);
  const remove = () => beside(address, (connection) => drop(connection, name));
  let release: (() => Promise<void>) | undefined;
  try {
    await locked(address, async () => {
      release = await holdLock(address, name);
      await atOrigin(({ shelf }) => shelf.make());
      await createCopy(address, name);
    });
  } catch (error) {
    await release?.();
    await remove();
    throw error;
  }
  return {
    ...{ source: copy, shown, original: address, place: `the database ${name}` },
    within: [],
    valueFor: (variable, place) => mysqlValue(variable, address, place!),
    connections: () =>
      beside(address, async (connection) =>
        (await clientsOf(connection, database)).map(({ id }) => Number(id)),
      ),
    began: () => atOrigin(async ({ shelf }) => (await shelf.noted()).began),
    markUsed: () => atOrigin(({ shelf }) => shelf.note({ isUsed: true })),
    async restore() {
      if (users.length > 0)
        throw new Error(`others use it, so the server's rows cannot be told apart: ${listed(users)}`);
      await atOrigin(({ shelf }) => shelf.restore());
    },
    async end(isKept) {
      await release?.();
      if (!isKept) await remove();
    },
  };
}

/** A database's copies from killed trials. */
export async function abandonedMysql({ source, shown }: Dialect): Promise<readonly AbandonedCopy[]> {
  const { database } = readAddress(source);
  return locked(source, async (connection) => {
    const all = await connection.query(
      "select schema_name as name from information_schema.schemata order by schema_name",
    );
    const needed: AbandonedCopy[] = [];
    const copies = new Set(
      all.map(({ name }) => String(name).replace(/_[012]$/, "")).filter((name) => isCopyOf(name, database)),
    );
    for (const name of copies) {
      if (!(await isFree(connection, name))) continue;
      const atOrigin = <Result>(work: (dialect: Dialect) => Promise<Result>) =>
        using(connectMysql(source, { shown, shelf: { name: originOf(name), isOnlyRead: true } }), work);
      const began = await atOrigin(beganIn);
      if (!began) {
        await drop(connection, name);
        continue;
      }
      needed.push({
        place: `the database ${originOf(name)}`,
        changed: () => atOrigin(async (now) => unlikeTables(began, await now.fingerprints())),
        restore: () => atOrigin(async ({ shelf }) => void (await shelf.restore())),
        remove: () => beside(source, (one) => drop(one, name)),
      });
    }
    return needed;
  });
}

/** Other programs' connections to a database, as far as the user may see them. */
async function clientsOf({ query }: Connection, database: string) {
  const all = await query(
    "select id, user, coalesce(host, '') as host from information_schema.processlist where db = ? and command <> 'Daemon'",
    [database],
  );
  return all.filter(({ id }) => !OWN_CONNECTIONS.has(Number(id)));
}

const usersOf = async (connection: Connection, database: string): Promise<string[]> =>
  (await clientsOf(connection, database)).map(
    ({ id, user, host }) => `${user} of ${host} (connection ${id})`,
  );

async function drop({ query }: Connection, name: string): Promise<void> {
  // Check first: without the privilege, dropping even a missing database fails.
  const there = await query(
    "select schema_name as name from information_schema.schemata where schema_name in (?)",
    [databasesOf(name)],
  );
  for (const one of there) await query(`drop database ${quoted(one.name)}`);
}

/** @throws SandboxError `invalid_state` if the user may not create a database, or for objects that SQL cannot copy */
async function createCopy(address: string, name: string): Promise<void> {
  const shown = withoutPasswords(address);
  const leftOut = await using(connectTo(address), async (from) => {
    const { database } = from.address;
    const [{ characters, collation }] = await from.query(
      "select default_character_set_name as characters, default_collation_name as collation from information_schema.schemata where schema_name = ?",
      [database],
    );
    await from
      .query(`create database ${quoted(name)} character set ${characters} collate ${collation}`)
      .catch(async (error) => {
        throw isDenied(error) ? await mayNotCreate(from, error) : error;
      });
    const rows = await from.query(`select number, name from ${quoted(originOf(name))}.copied`);
    const rowsOf = (table: string): string =>
      `${quoted(originOf(name))}.${quoted(`before ${rows.find((one) => one.name === table)?.number}`)} order by sandglass_number`;
    return using(connectTo(atDatabase(address, name)), (to) => cloneDatabase(from, to, rowsOf)).catch(
      (error) => {
        throw invalidState(
          `The database ${shown} cannot be copied: ${(error as Error).message.replace(/\.$/, "")}. Nothing was changed.`,
          "With --start, the server works on a copy. Connect as a user with permission to read everything in it, such as its owner.",
        );
      },
    );
  });
  if (leftOut.length > 0) tellUser(`The copy of ${shown} that the server works on lacks ${listed(leftOut)}.`);
}
