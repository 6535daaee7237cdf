import { closest } from "../../errors/closest.ts";
import { notFound } from "../../errors/errors.ts";
import { settleAbandoned } from "./abandoned.ts";
import { InPlace } from "./in-place.ts";
import { OnCopy, type Tables, type TablesOptions } from "./on-copy.ts";
import { connect } from "./source.ts";

export type { Tables, TablesOptions };

/**
 * Opens a server's database. If an earlier trial was killed, its rows are restored first.
 * @param source `sqlite:` and a file, or a database server URL
 * @throws SandboxError `not_found` for a missing file or table; `bad_request` if it is not a database; `unreachable`;
 *   `invalid_state` if the user has to decide about a killed trial's rows. The methods throw it if another program writes.
 */
export async function openTables(source: string, options: TablesOptions = {}): Promise<Tables> {
  const { only, copyOf } = options;
  const dialect = await connect(source, { shown: copyOf });
  try {
    await dialect.inTurn(async () => {
      if (copyOf === undefined) await settleAbandoned(dialect);
      const names = (await dialect.shapes()).map(({ name }) => name);
      const wrong = only?.find((name) => !names.includes(name));
      if (wrong !== undefined)
        throw notFound(
          `The database ${dialect.shown} has no table ${wrong}.`,
          `Did you mean ${closest(wrong, names) ?? names.join(", ")}?`,
        );
    });
  } catch (error) {
    await dialect.end();
    throw error;
  }
  return copyOf === undefined ? new InPlace(dialect, options) : new OnCopy(dialect, options);
}
