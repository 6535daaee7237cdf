import { using } from "../dialect.ts";
import { type Connection, connectTo } from "./client.ts";

/** The lock for making copies and for removing those of killed trials. */
const MAKING = "sandglass_trial making";
const LONG_S = 3600;

/**
 * Takes a named lock on the database server, which releases it if this process is killed.
 * @returns whether this connection now holds it
 */
export async function takeLock({ query }: Connection, name: string): Promise<boolean> {
  const [{ taken }] = await query("select get_lock(?, 0) as taken", [name]);
  return Number(taken) === 1;
}

export const releaseLock = async ({ query }: Connection, name: string): Promise<void> =>
  void (await query("do release_lock(?)", [name]));

export async function isFree({ query }: Connection, name: string): Promise<boolean> {
  const [{ free }] = await query("select is_free_lock(?) as free", [name]);
  return Number(free) === 1;
}

/** A database that every user may connect to and that has no owner. */
const NEUTRAL = "information_schema";

/** Runs work on a connection to a database other than the user's. */
export const beside = <Result>(
  address: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> => using(connectTo(address, NEUTRAL), work);

/** Runs work while no other trial makes or removes copies. */
export const locked = <Result>(
  address: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> =>
  beside(address, async (connection) => {
    await connection.query("select get_lock(?, ?)", [MAKING, LONG_S]);
    return work(connection);
  });

/** Holds a lock on a separate connection. @returns a function that releases it; undefined if another connection holds it */
export async function holdLock(address: string, name: string): Promise<(() => Promise<void>) | undefined> {
  const connection = await connectTo(address, NEUTRAL);
  if (await connection.inTurn(() => takeLock(connection, name)))
    return async () => {
      // Release explicitly: the server notices a closed connection only later.
      await connection.inTurn(() => releaseLock(connection, name)).catch(() => undefined);
      await connection.end();
    };
  await connection.end();
  return undefined;
}
