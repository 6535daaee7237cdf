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
  // Commands that stream the replication log or dump a table.
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

/** Splits the bytes that a client sends after its login into commands. */
export function createRequestReader(session: Session): (chunk: Buffer) => MysqlPart[] {
  const read = createPayloadReader();
  return (chunk) => read(chunk).map((one) => partOf(one, session));
}

function partOf({ number, bytes, payload }: Payload, session: Session): MysqlPart {
  const isFile = session.isCopying || bytes[3] !== 0;
  // A file ends with an empty packet.
  if (isFile && payload.length === 0) session.isCopying = false;
  const command = isFile ? undefined : payload[0]!;
  const part: MysqlPart = {
    ...{ bytes: [bytes], sql: undefined, values: NO_VALUES, of: undefined, number: number + 1 },
    answer: (command !== undefined && ANSWERS[command]) || "packet",
    isAnswered: command !== undefined && !UNANSWERED.includes(command),
    isMore: isFile,
    canBeEnclosed: true,
    opensCursor: command === COMMAND.EXECUTE && payload[5] !== 0,
    complete: undefined,
  };
  const onPrepared = (work: (one: Prepared) => void) => () => {
    const id = payload.readUInt32LE(1);
    const one = id === LATEST ? session.latest : session.statements.get(id);
    if (one) work(one);
  };
  switch (command) {
    case COMMAND.QUERY: {
      const sql = payload.toString("utf8", 1);
      part.complete = () => execute(part, session, sql, () => literalsIn(sql, MYSQL));
      break;
    }
    case COMMAND.PREPARE:
      part.of = payload.toString("utf8", 1);
      break;
    case COMMAND.EXECUTE:
      part.complete = onPrepared((one) => {
        const { sql, count, long } = one;
        const types = typesIn(payload, count) ?? one.types;
        Object.assign(one, { types, long: undefined });
        execute(part, session, sql, () => executedValues(payload, count, types, long));
      });
      break;
    case COMMAND.BULK_EXECUTE:
      part.complete = onPrepared((one) =>
        execute(part, session, one.sql, () => bulkValues(payload, one.count)),
      );
      break;
    case COMMAND.SEND_LONG_DATA:
      part.complete = onPrepared((one) => {
        one.long ??= new Map();
        const index = payload.readUInt16LE(5);
        const before = one.long.get(index) ?? [];
        const length = before.reduce((sum, { byteLength }) => sum + byteLength, 0);
        one.long.set(index, [...before, payload.subarray(7, 7 + MOST_LONG - length)]);
      });
      break;
    case COMMAND.CLOSE:
      part.complete = () => void session.statements.delete(payload.readUInt32LE(1));
      break;
    case COMMAND.RESET:
      part.complete = onPrepared((one) => {
        one.long = undefined;
      });
      break;
    case COMMAND.CHANGE_USER:
    case COMMAND.RESET_CONNECTION:
      part.complete = () => {
        session.statements.clear();
        session.areTablesLocked = false;
      };
  }
  return part;
}

const NO_VALUES = (): [] => [];

/** Completes a part that executes SQL. */
function execute(part: MysqlPart, session: Session, sql: string, values: MysqlPart["values"]): void {
  noteLocks(session, sql);
  Object.assign(part, { sql, of: sql, values, canBeEnclosed: !session.areTablesLocked });
}

function noteLocks(session: Session, sql: string): void {
  if (/^\s*lock\s+tables?\b/i.test(sql)) session.areTablesLocked = true;
  else if (session.areTablesLocked && /^\s*(?:unlock\s+tables?|begin|start\s+transaction)\b/i.test(sql))
    session.areTablesLocked = false;
}

/** One of the proxy's own queries. @param number the number of the packet that responds to it */
export const queryPart = (sql: string, number = 1): MysqlPart => ({
  ...{ sql: undefined, of: sql, values: () => [], isAnswered: true, isMore: false },
  ...{ bytes: [queryPacket(sql)], answer: "results", number },
});

const queryPacket = (sql: string): Buffer =>
  packet(0, Buffer.concat([Buffer.from([COMMAND.QUERY]), Buffer.from(sql)]));
