import { connectTo } from "../../database/mysql/client.ts";
import { watchWire } from "../open.ts";
import { isCommit, plainStatement } from "../point.ts";
import { MYSQL } from "../sql-form.ts";
import type { DatabaseStatements } from "../statements.ts";
import { readWritesWith } from "../stored-code.ts";
import { createLocks } from "./locks.ts";
import { enterMysql } from "./login.ts";
import { ERROR, HEADER } from "./packets.ts";
import { queryPart } from "./requests.ts";
import type { MysqlPart } from "./session.ts";
import { storedIn } from "./stored-code.ts";

const signal = (state: string, code: number, message: string): string =>
  `signal sqlstate '${state}' set mysql_errno = ${code}, message_text = '${message}'`;

const LOCK_WAIT = signal("HY000", 1205, "Lock wait timeout exceeded; try restarting transaction");
const DEADLOCK = signal("40001", 1213, "Deadlock found when trying to get lock; try restarting transaction");
const CHANGED = signal("HY000", 1020, "Record has changed since last read; try restarting transaction");
const COMMIT_FAILED = signal("HY000", 1180, "Got error 28 No space left on device during COMMIT");

/** Settings that decide which errors end a transaction. Not every version has them. */
const SETTINGS =
  "show global variables where variable_name in ('innodb_snapshot_isolation', 'innodb_rollback_on_timeout') and value in ('1', 'ON')";

/** @param address the address of the copy that the server works on @throws SandboxError `unreachable` */
export async function openStatements(address: string): Promise<DatabaseStatements> {
  const connection = await connectTo(address);
  const { place, tls, database } = connection.address;
  const on = await connection.inTurn(async () =>
    (await connection.query(SETTINGS)).map(({ Variable_name: name }) => String(name)),
  );
  const isSnapshot = on.includes("innodb_snapshot_isolation");
  const undoesWaits = on.includes("innodb_rollback_on_timeout");
  const rollbackErrors = new Set([1213, ...(isSnapshot ? [1020] : []), ...(undoesWaits ? [1205] : [])]);
  const target = { place, tls, rollbackErrors };
  const qualifier = new RegExp(`(?:\`${database}\`|\\b${database})\\s*\\.\\s*`, "g");
  const rollback = queryPart("rollback");
  return watchWire<MysqlPart>({
    ...{ of: "mysql", form: MYSQL, token: database },
    locks: await createLocks(connection),
    enter: (client, door) => enterMysql(client, door, target),
    // Each copy has its own name, with which some clients qualify table names.
    textOf: (sql) => plainStatement(sql.replace(qualifier, ""), MYSQL),
    isReadWrite: readWritesWith(await storedIn(connection, database), MYSQL),
    ...{ begin: queryPart("start transaction"), commit: queryPart("commit"), undo: () => rollback },
    needsNoTransaction: () => false,
    failure(how, text, { number }) {
      const isEnd = isCommit(text);
      const conflict = isSnapshot && !isEnd ? CHANGED : DEADLOCK;
      const sql = how === "conflict" ? conflict : isEnd ? COMMIT_FAILED : LOCK_WAIT;
      const isUndone = how === "conflict" || isEnd || undoesWaits;
      return { before: isUndone ? [rollback] : [], instead: queryPart(sql, number) };
    },
    answerOutside(answer, ending) {
      const last = answer.at(-1)!;
      const ended = Buffer.concat(ending);
      if (ended[HEADER] !== ERROR) return answer;
      // The error packet gets the number of the packet that it replaces.
      ended[HEADER - 1] = last[HEADER - 1]!;
      return [...answer.slice(0, -1), ended];
    },
    withoutTls: "Turn TLS off if the host is 127.0.0.1, with the ssl option in most drivers.",
    close: () => connection.end(),
  });
}
