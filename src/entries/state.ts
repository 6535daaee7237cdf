/** The time limit for reading a state, in real milliseconds. */
const STATE_TIMEOUT = 30_000;

/**
 * Reads a subscriber's state once, like `explore`. Called by scenarios that earlier versions of `sandglass explore` saved.
 * @param source a URL that responds to GET with JSON, `sqlite:` and a database's path, a `postgres://` or `mysql://` URL,
 * or a shell command that prints JSON
 * @example
 * const { orders } = await readState("sqlite:shop.db");
 * expect(orders).toHaveLength(1);
 * @throws SandboxError `unreachable`, `invalid_state` if the state is not JSON, `not_found` or `bad_request` for a database
 *   that cannot be read
 */
// biome-ignore lint/suspicious/noExplicitAny: `JSON.parse` also returns any
export async function readState(source: string): Promise<any> {
  const { remoteSubject } = await import("../trial/subject/remote.ts");
  const subject = remoteSubject({ url: "", stateUrl: source, resetBy: null, timeout: STATE_TIMEOUT });
  try {
    return await subject.state.read();
  } finally {
    await subject.close();
  }
}

/**
 * Saves the rows of a subscriber's database. Called by scenarios that earlier versions of `sandglass explore` saved.
 * @param source `sqlite:` and a database's path, or a `postgres://` or `mysql://` URL
 * @returns a function that restores the rows in one transaction; the subscriber may use the database in the meantime
 * @example
 * const putBack = await keepTables("sqlite:shop.db");
 * await sandbox.payments.pay("coffee");
 * await putBack();
 * @throws SandboxError `not_found` or `bad_request` for a database that cannot be used, `invalid_state` if it has too many
 *   rows or is locked by another program
 */
export async function keepTables(source: string): Promise<() => Promise<void>> {
  const { openTables } = await import("../trial/database/tables.ts");
  const tables = await openTables(source, { idleMs: 0 });
  await tables.putBack();
  await tables.begin();
  return async () => {
    await tables.end();
    await tables.putBack();
    await tables.close();
  };
}
