import { randomBytes } from "node:crypto";
import { isIP } from "node:net";
import { connectTo, databaseIn } from "../../database/postgres/client.ts";
import { watchWire } from "../open.ts";
import { isCommit, plainStatement } from "../point.ts";
import { STANDARD } from "../sql-form.ts";
import type { DatabaseStatements } from "../statements.ts";
import { readWritesWith } from "../stored-code.ts";
import type { Failure } from "../wire.ts";
import { createLocks } from "./locks.ts";
import { enterPostgres, type Target } from "./login.ts";
import { answerOutside, controlPart, preparedIn, queryPart } from "./messages.ts";
import { storedIn } from "./stored-code.ts";

const FAILURES: Record<Failure, string> = {
  refuse:
    "do $$ begin raise exception 'canceling statement due to statement timeout' using errcode = '57014'; end $$",
  conflict:
    "do $$ begin raise exception 'could not serialize access due to concurrent update' using errcode = '40001'; end $$",
};
/** Errors of statements that cannot run in a transaction. */
const NEEDS_NO_TRANSACTION = ["25001", "2D000"];

/** @param address the address of the copy that the server works on @throws SandboxError `unreachable` */
export async function openStatements(address: string): Promise<DatabaseStatements> {
  const url = new URL(address);
  const connection = await connectTo(address);
  const socket = url.searchParams.get("host");
  const port = Number(url.port || url.searchParams.get("port") || 5432);
  const host = socket || url.hostname || "localhost";
  const target: Target = {
    place: host.startsWith("/")
      ? { path: `${host}/.s.PGSQL.${port}` }
      : { host: decodeURIComponent(host).replace(/^\[|\]$/g, ""), port },
    database: databaseIn(address),
    // Encrypt as pg does: a database that accepts the trial's own connection then accepts the proxy's, too.
    tls: connection.tls && { ...connection.tls, servername: isIP(url.hostname) ? "" : url.hostname },
  };
  return watchWire({
    of: "postgres",
    token: `sandglass_${randomBytes(12).toString("hex")}`,
    locks: createLocks(connection),
    enter: (client, door) => enterPostgres(client, door, target),
    form: STANDARD,
    textOf: (sql) => plainStatement(sql),
    isReadWrite: readWritesWith(await storedIn(connection), STANDARD),
    begin: controlPart("begin"),
    commit: controlPart("commit"),
    undo: ({ bytes }) => controlPart("rollback", preparedIn(Buffer.concat(bytes))),
    needsNoTransaction: (error) => NEEDS_NO_TRANSACTION.includes(error),
    failure: (how, text) => ({
      // If a commit is refused, its transaction must be undone, too.
      before: isCommit(text) ? [controlPart("rollback")] : [],
      instead: queryPart(FAILURES[how]),
    }),
    answerOutside: (answer, ending) => [answerOutside(Buffer.concat(answer), Buffer.concat(ending))],
    withoutTls:
      "Have your code respect sslmode=disable in the address, or turn TLS off if the host is 127.0.0.1.",
    close: () => connection.end(),
  });
}
