/** The time limit for reading a state, in real milliseconds. */
const STATE_TIMEOUT = 30_000;

/**
 * Reads a subscriber's state once, as `explore` does. Scenarios that earlier versions of `sandglass explore` saved call it.
 * @param source a URL that answers a GET with JSON, `sqlite:` and the path of a database, a `postgres://` or `mysql://` URL, or a shell command that prints JSON
 * @example
 * const { orders } = await readState("sqlite:shop.db");
 * expect(orders).toHaveLength(1);
 * @throws SandboxError `unreachable`, `invalid_state` for what is not JSON, `not_found` and `bad_request` for a database that
 *   cannot be read
 */
// biome-ignore lint/suspicious/noExplicitAny: as JSON.parse returns it
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
 * Keeps the rows of a subscriber's database. Scenarios that earlier versions of `sandglass explore` saved call it.
 * @param source `sqlite:` and the path of a database, or a `postgres://` or `mysql://` URL
 * @returns what puts the rows back in one transaction; the subscriber may use the database meanwhile
 * @example
 * const putBack = await keepTables("sqlite:shop.db");
 * await sandbox.payments.pay("coffee");
 * await putBack();
 * @throws SandboxError `not_found` and `bad_request` for a database that cannot be used, `invalid_state` for one with too many
 *   rows, or that another program holds
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
