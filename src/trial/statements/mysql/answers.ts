import { MYSQL, withoutLiterals } from "../sql-form.ts";
import type { Stretch } from "../wire.ts";
import { EOF, ERROR, HEADER, integerAt, MOST_PAYLOAD, OK, REQUEST, STATUS } from "./packets.ts";
import type { MysqlPart, Session } from "./session.ts";

/** The maximum number of bytes of a packet to read. */
const MOST_READ = 512;
/** An EOF packet has five bytes; an OK packet has more. */
const EOF_BYTES = 5;
const MOST_EOF = 9;
/** The state of the connection, and the number of warnings. */
const STATUS_BYTES = 4;

/** The kind of packet that comes next in a response. */
type Phase =
  | { at: "head" }
  /** Definitions of columns or parameters, an EOF packet after them, and then the next phase. */
  | { at: "definitions"; left: number; next: Phase }
  | { at: "divider"; next: Phase }
  | { at: "rows" }
  | { at: "end" };

interface Awaited {
  part: MysqlPart;
  isEnclosed: boolean;
  phase: Phase;
  /** The number of results before the current one, and the number of its rows so far. */
  results: number;
  rows: number;
}

/** What a packet means: the end of a response, a request to the client, or neither. */
type Meaning = Omit<Stretch, "bytes"> | undefined;

/** Reads the database's bytes. Rows are only counted. */
export function createAnswerReader(session: Session) {
  const awaited: Awaited[] = [];
  let rest: Buffer | undefined;
  /** The remaining bytes of a packet, and whether the next packet continues it. */
  let left = 0;
  let isContinued = false;
  /** The meaning of the current packet, once it is complete. */
  let meaning: Meaning;

  /** @param at the start of the payload @param end the end of the part to read */
  function read(bytes: Buffer, at: number, end: number, length: number): Meaning {
    const one = awaited[0];
    if (!one) return undefined;
    const first = bytes[at];
    const { part, phase } = one;
    if (phase.at === "definitions") {
      phase.left -= 1;
      if (phase.left === 0)
        one.phase = session.deprecatesEof ? phase.next : { at: "divider", next: phase.next };
      return endAt(one);
    }
    if (phase.at === "divider") {
      const hasCursor = bytes.readUInt16LE(at + 3) & STATUS.CURSOR_EXISTS;
      if (hasCursor && part.opensCursor) return endResult(one, bytes, at, end);
      one.phase = phase.next;
      return endAt(one);
    }
    if (first === ERROR) {
      const code = bytes.readUInt16LE(at + 1);
      if (session.rollbackErrors.has(code)) session.status &= ~STATUS.IN_TRANSACTION;
      // If the proxy replaced a message that spans several packets, the response has a different packet number than the
      // client expects.
      if (part.number > 1 && phase.at === "head") bytes[at - 1] = part.number;
      return endAnswer(String(code));
    }
    if (phase.at === "rows") {
      if (first === EOF && length < (session.deprecatesEof ? MOST_PAYLOAD : MOST_EOF))
        return endResult(one, bytes, at, end);
      one.rows += 1;
      return undefined;
    }
    return readHead(one, bytes, at, end);
  }

  function readHead(one: Awaited, bytes: Buffer, at: number, end: number): Meaning {
    const { part } = one;
    const first = bytes[at];
    switch (part.answer) {
      case "prepared": {
        const [columns, parameters] = [bytes.readUInt16LE(at + 5), bytes.readUInt16LE(at + 7)];
        session.latest = { sql: part.of!, count: parameters };
        session.statements.set(bytes.readUInt32LE(at + 1), session.latest);
        one.phase = definitions(parameters, definitions(columns, { at: "end" }));
        return endAt(one);
      }
      case "login":
        if (first !== OK) return { isRequest: true };
        return endResult(one, bytes, at, end);
      case "results":
        if (first === OK) return endResult(one, bytes, at, end);
        if (first === REQUEST) {
          session.isCopying = true;
          return { isRequest: true };
        }
        one.phase = definitions(integerAt(bytes, at).value, { at: "rows" });
        one.rows = 0;
        return undefined;
      case "endless":
        return undefined;
      default:
        if (first === OK || first === EOF) return endResult(one, bytes, at, end);
        return endAnswer();
    }
  }

  /** Reads the status at the end of a result. */
  function endResult(one: Awaited, bytes: Buffer, at: number, end: number): Meaning {
    const isEof = bytes[at] === EOF && end - at <= EOF_BYTES;
    const affected = isEof ? { value: 0, next: at + 1 } : integerAt(bytes, at + 1);
    const place = isEof ? at + 3 : integerAt(bytes, affected.next).next;
    session.status = bytes.readUInt16LE(place);
    // To the client, it should look as if no transaction were open, as it would be without the proxy's own transaction.
    if (one.isEnclosed) bytes[place]! &= ~STATUS.IN_TRANSACTION;
    const isRows = one.phase.at !== "head";
    const count = isRows ? one.rows : (matchedIn(bytes, place + STATUS_BYTES, end) ?? affected.value);
    const index = one.results;
    one.results += 1;
    if (session.status & STATUS.MORE_RESULTS) {
      one.phase = { at: "head" };
      return undefined;
    }
    return endAnswer(one.part.of === undefined ? undefined : resultOf(one.part.of, index, count));
  }

  const endAt = ({ phase }: Awaited): Meaning => (phase.at === "end" ? endAnswer() : undefined);

  function endAnswer(result?: string): Meaning {
    awaited.shift();
    const { status } = session;
    const ready = {
      inTransaction: (status & STATUS.IN_TRANSACTION) !== 0,
      begins: (status & STATUS.AUTOCOMMIT) === 0,
    };
    return { ready, result };
  }

  /** How many bytes of a packet are needed. */
  function neededOf(first: number | undefined, length: number): number {
    const phase = awaited[0]?.phase;
    const isRow = phase?.at === "rows" && first !== ERROR && !(first === EOF && length < MOST_PAYLOAD);
    if (!phase || isContinued || phase.at === "definitions" || isRow) return 0;
    return Math.min(length, MOST_READ);
  }

  return {
    expect(part: MysqlPart, isEnclosed: boolean): void {
      const phase: Phase = part.answer === "rows" ? { at: "rows" } : { at: "head" };
      awaited.push({ part, isEnclosed, phase, results: 0, rows: 0 });
    },

    readAnswer(chunk: Buffer): Stretch[] {
      const bytes = rest ? Buffer.concat([rest, chunk]) : chunk;
      rest = undefined;
      const found: Stretch[] = [];
      let from = 0;
      let at = Math.min(left, bytes.length);
      left -= at;
      for (;;) {
        if (left === 0 && meaning) {
          found.push({ bytes: bytes.subarray(from, at), ...meaning });
          from = at;
          meaning = undefined;
        }
        const there = bytes.length - at;
        if (left > 0 || there === 0) break;
        const length = there < HEADER ? 0 : bytes.readUIntLE(at, 3);
        const least = HEADER + Math.min(length, 1);
        if (there < least || there < HEADER + neededOf(bytes[at + HEADER], length)) {
          rest = bytes.subarray(at);
          break;
        }
        const isEnclosed = awaited[0]?.isEnclosed;
        const payload = at + HEADER;
        if (!isContinued) meaning = read(bytes, payload, payload + Math.min(length, MOST_READ), length);
        isContinued = length === MOST_PAYLOAD;
        // An error in the commit replaces only the last packet.
        if (meaning && isEnclosed && at > from) {
          found.push({ bytes: bytes.subarray(from, at) });
          from = at;
        }
        const end = Math.min(payload + length, bytes.length);
        left = payload + length - end;
        at = end;
      }
      if (at > from) found.push({ bytes: bytes.subarray(from, at) });
      return found;
    },
  };
}

const definitions = (left: number, next: Phase): Phase =>
  left > 0 ? { at: "definitions", left, next } : next;

/** The number of rows that an update matched, including those that already had the new values. */
function matchedIn(bytes: Buffer, from: number, end: number): number | undefined {
  if (from >= end) return undefined;
  const [, matched] = /Rows matched: (\d+)/.exec(bytes.toString("latin1", from, end)) ?? [];
  return matched === undefined ? undefined : Number(matched);
}

/** The first word of a statement, after its comments and parentheses. */
const WORD = /^(?:\s|\/\*[\s\S]*?\*\/)*[^a-z]*([a-z]+)/i;
/** Statements that have no row count. */
const UNCOUNTED = new Set("BEGIN START COMMIT ROLLBACK SAVEPOINT RELEASE SET USE".split(" "));

/** A result in Postgres's format. @param index the statement's position within the SQL */
function resultOf(sql: string, index: number, count: number): string {
  const texts = sql.includes(";") ? withoutLiterals(sql, MYSQL).split(/;\s*/) : [sql];
  const text = texts[index] ?? texts.at(-1)!;
  const [, first = ""] = WORD.exec(text) ?? [];
  let name = first.toUpperCase();
  if (name === "WITH")
    name = /\b(?:insert|update|delete|replace|select)\b/i.exec(text)?.[0].toUpperCase() ?? name;
  if (name === "INSERT" || name === "REPLACE") return `INSERT 0 ${count}`;
  return UNCOUNTED.has(name) ? name : `${name} ${count}`;
}
