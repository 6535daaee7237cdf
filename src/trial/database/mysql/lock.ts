import { type Connection, connectTo } from "./client.ts";

/** The lock under which copies are made, and those of killed trials are removed. */
const MAKING = "sandglass_trial making";
const LONG_S = 3600;

/**
 * Takes a lock of the database server, which it releases if this process is killed.
 * @returns whether it is free, or already held by this connection
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

/** A database that every user may connect to, and that is nobody's. */
const NEUTRAL = "information_schema";

/** Runs work on a connection that is not to the user's database. */
export async function beside<Result>(
  address: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> {
  const connection = await connectTo(address, NEUTRAL);
  return connection.inTurn(() => work(connection)).finally(connection.end);
}

/** Runs work while no other trial makes or removes copies. */
export const locked = <Result>(
  address: string,
  work: (connection: Connection) => Promise<Result>,
): Promise<Result> =>
  beside(address, async (connection) => {
    await connection.query("select get_lock(?, ?)", [MAKING, LONG_S]);
    return work(connection);
  });

/** Holds a lock on a connection of its own. @returns a function that releases it; undefined if it is held */
export async function holdLock(address: string, name: string): Promise<(() => Promise<void>) | undefined> {
  const connection = await connectTo(address, NEUTRAL);
  if (await connection.inTurn(() => takeLock(connection, name)))
    return async () => {
      // The server notices later that the connection was closed.
      await connection.inTurn(() => releaseLock(connection, name)).catch(() => undefined);
      await connection.end();
    };
  await connection.end();
  return undefined;
}
