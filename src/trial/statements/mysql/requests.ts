import { literalsIn } from "../parameters.ts";
import { MYSQL } from "../sql-form.ts";
import { bulkValues, executedValues, typesIn } from "./bound.ts";
import { createPayloadReader, type Payload, packet } from "./packets.ts";
import type { Answer, MysqlPart, Prepared, Session } from "./session.ts";

const COMMAND = {
  QUIT: 0x01,
  QUERY: 0x03,
  FIELD_LIST: 0x04,
  PROCESS_INFO: 0x0a,
  CHANGE_USER: 0x11,
  PREPARE: 0x16,
  EXECUTE: 0x17,
  SEND_LONG_DATA: 0x18,
  CLOSE: 0x19,
  RESET: 0x1a,
  FETCH: 0x1c,
  RESET_CONNECTION: 0x1f,
  BULK_EXECUTE: 0xfa,
} as const;

const ANSWERS: Readonly<Record<number, Answer>> = {
  [COMMAND.QUERY]: "results",
  [COMMAND.FIELD_LIST]: "rows",
  [COMMAND.PROCESS_INFO]: "results",
  [COMMAND.CHANGE_USER]: "login",
  // The log for a replica, or a table.
  ...{ 18: "endless", 19: "endless", 30: "endless" },
  [COMMAND.PREPARE]: "prepared",
  [COMMAND.EXECUTE]: "results",
  [COMMAND.BULK_EXECUTE]: "results",
  [COMMAND.FETCH]: "rows",
};
const UNANSWERED: readonly number[] = [COMMAND.QUIT, COMMAND.SEND_LONG_DATA, COMMAND.CLOSE];

/** The id that refers to the latest prepared statement. */
const LATEST = 0xff_ff_ff_ff;
/** The maximum number of bytes stored for a value that is sent in chunks. */
const MOST_LONG = 10_000;

/** Splits a client's bytes after its login into commands. */
export function createRequestReader(session: Session): (chunk: Buffer) => MysqlPart[] {
  const read = createPayloadReader();
  return (chunk) => read(chunk).map((one) => partOf(one, session));
}

function partOf({ number, bytes, payload }: Payload, session: Session): MysqlPart {
  const part = { bytes: [bytes], values: () => [], number: number + 1, sql: undefined };
  if (session.isCopying || bytes[3] !== 0) {
    // A file ends with an empty packet.
    if (payload.length === 0) session.isCopying = false;
    return { ...part, answer: "packet", isAnswered: false, isMore: true };
  }
  const command = payload[0]!;
  const plain = {
    ...part,
    answer: ANSWERS[command] ?? "packet",
    isAnswered: !UNANSWERED.includes(command),
    isMore: false,
  };
  const prepared = (): Prepared | undefined => {
    const id = payload.readUInt32LE(1);
    return id === LATEST ? session.latest : session.statements.get(id);
  };
  const noting = (note: () => void): MysqlPart => ({
    ...plain,
    get sql() {
      note();
      return undefined;
    },
  });
  switch (command) {
    case COMMAND.QUERY: {
      const sql = payload.toString("utf8", 1);
      return executing({ ...plain, values: () => literalsIn(sql, MYSQL) }, session, () => sql);
    }
    case COMMAND.PREPARE:
      return { ...plain, of: payload.toString("utf8", 1) };
    case COMMAND.EXECUTE:
    case COMMAND.BULK_EXECUTE: {
      let values: MysqlPart["values"] = () => [];
      const made = executing(plain, session, () => {
        const one = prepared();
        if (!one) return undefined;
        const { long } = one;
        one.long = new Map();
        const isBulk = command === COMMAND.BULK_EXECUTE;
        if (!isBulk) one.types = typesIn(payload, one.count) ?? one.types;
        const { types } = one;
        values = () =>
          isBulk ? bulkValues(payload, one.count) : executedValues(payload, one.count, types, long);
        return one.sql;
      });
      return Object.assign(made, {
        values: () => values(),
        opensCursor: command === COMMAND.EXECUTE && payload[5] !== 0,
      });
    }
    case COMMAND.SEND_LONG_DATA:
      return noting(() => {
        const pieces = prepared()?.long;
        const index = payload.readUInt16LE(5);
        const before = pieces?.get(index) ?? [];
        const length = before.reduce((sum, { byteLength }) => sum + byteLength, 0);
        pieces?.set(index, [...before, payload.subarray(7, 7 + MOST_LONG - length)]);
      });
    case COMMAND.CLOSE:
      return noting(() => session.statements.delete(payload.readUInt32LE(1)));
    case COMMAND.RESET:
      return noting(() => prepared()?.long.clear());
    case COMMAND.CHANGE_USER:
    case COMMAND.RESET_CONNECTION:
      return noting(() => {
        session.statements.clear();
        session.areTablesLocked = false;
      });
    default:
      return plain;
  }
}

type Plain = Omit<MysqlPart, "sql" | "canBeEnclosed" | "of">;

/** A part that executes SQL, which is known once the part is next for the database. */
function executing(plain: Plain, session: Session, read: () => string | undefined): MysqlPart {
  let known: { sql: string | undefined } | undefined;
  const sqlOf = (): string | undefined => {
    if (!known) {
      known = { sql: read() };
      noteLocks(session, known.sql ?? "");
    }
    return known.sql;
  };
  const properties = {
    sql: { get: sqlOf, enumerable: true },
    of: { get: sqlOf, enumerable: true },
    canBeEnclosed: { get: () => !session.areTablesLocked, enumerable: true },
  };
  return Object.defineProperties({ ...plain }, properties) as MysqlPart;
}

function noteLocks(session: Session, sql: string): void {
  if (/^\s*lock\s+tables?\b/i.test(sql)) session.areTablesLocked = true;
  else if (session.areTablesLocked && /^\s*(?:unlock\s+tables?|begin|start\s+transaction)\b/i.test(sql))
    session.areTablesLocked = false;
}

/** One of the proxy's own queries. @param number of the packet that answers it */
export const queryPart = (sql: string, number = 1): MysqlPart => ({
  ...{ sql: undefined, of: sql, values: () => [], isAnswered: true, isMore: false },
  ...{ bytes: [queryPacket(sql)], answer: "results", number },
});

const queryPacket = (sql: string): Buffer =>
  packet(0, Buffer.concat([Buffer.from([COMMAND.QUERY]), Buffer.from(sql)]));
