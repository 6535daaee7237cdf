import { MYSQL, withoutLiterals } from "../sql-form.ts";
import type { Stretch } from "../wire.ts";
import { EOF, ERROR, HEADER, integerAt, MOST_PAYLOAD, OK, REQUEST, STATUS } from "./packets.ts";
import type { MysqlPart, Session } from "./session.ts";

/** The maximum number of bytes of a packet to read. */
const MOST_READ = 512;
/** An EOF packet has five bytes; an OK packet has more. */
const EOF_BYTES = 5;
const MOST_EOF = 9;

/** What an answer's next packet is. */
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
  /** The number of results before the current one, and of its rows. */
  results: number;
  rows: number;
}

/** What a packet means: the end of an answer, a request to the client, or neither. */
type Meaning = { ends: true; result?: string } | { isRequest: true } | undefined;

/** Reads the database's bytes. Rows are only counted. */
export function createAnswerReader(session: Session) {
  const awaited: Awaited[] = [];
  let rest: Buffer = Buffer.alloc(0);
  /** The remaining bytes of a packet, and whether the next packet continues it. */
  let left = 0;
  let isContinued = false;
  /** What the current packet means, once it is complete. */
  let meaning: Meaning;

  /** @param payload its first bytes @param at where it begins in `bytes` */
  function read(bytes: Buffer, at: number, length: number): Meaning {
    const one = awaited[0];
    if (!one) return undefined;
    const payload = bytes.subarray(at, at + Math.min(length, MOST_READ));
    const first = payload[0];
    const { part, phase } = one;
    if (phase.at === "definitions") {
      phase.left -= 1;
      if (phase.left === 0)
        one.phase = session.deprecatesEof ? phase.next : { at: "divider", next: phase.next };
      return endAt(one);
    }
    if (phase.at === "divider") {
      const hasCursor = payload.readUInt16LE(3) & STATUS.CURSOR_EXISTS;
      if (hasCursor && part.opensCursor) return endResult(one, bytes, at, payload);
      one.phase = phase.next;
      return endAt(one);
    }
    if (first === ERROR) {
      const code = payload.readUInt16LE(1);
      if (session.rollbackErrors.has(code)) session.status &= ~STATUS.IN_TRANSACTION;
      // A substitute for a longer message has a different number than the client's own.
      bytes[at - 1] = one.part.number > 1 && phase.at === "head" ? one.part.number : bytes[at - 1]!;
      return { ends: true, result: String(code) };
    }
    if (phase.at === "rows") {
      if (first === EOF && length < (session.deprecatesEof ? MOST_PAYLOAD : MOST_EOF))
        return endResult(one, bytes, at, payload);
      one.rows += 1;
      return undefined;
    }
    return readHead(one, bytes, at, payload);
  }

  function readHead(one: Awaited, bytes: Buffer, at: number, payload: Buffer): Meaning {
    const { part } = one;
    const [first] = payload;
    switch (part.answer) {
      case "prepared": {
        const [columns, parameters] = [payload.readUInt16LE(5), payload.readUInt16LE(7)];
        session.latest = { sql: part.of!, count: parameters, long: new Map() };
        session.statements.set(payload.readUInt32LE(1), session.latest);
        one.phase = definitions(parameters, definitions(columns, { at: "end" }));
        return endAt(one);
      }
      case "login":
        if (first !== OK) return { isRequest: true };
        return endResult(one, bytes, at, payload);
      case "results":
        if (first === OK) return endResult(one, bytes, at, payload);
        if (first === REQUEST) {
          session.isCopying = true;
          return { isRequest: true };
        }
        one.phase = definitions(integerAt(payload, 0).value, { at: "rows" });
        one.rows = 0;
        return undefined;
      case "endless":
        return undefined;
      default:
        if (first === OK || first === EOF) return endResult(one, bytes, at, payload);
        return { ends: true };
    }
  }

  /** Reads the status at the end of a result. */
  function endResult(one: Awaited, bytes: Buffer, at: number, payload: Buffer): Meaning {
    const isEof = payload[0] === EOF && payload.length <= EOF_BYTES;
    const affected = isEof ? { value: 0, next: 1 } : integerAt(payload, 1);
    const place = isEof ? 3 : integerAt(payload, affected.next).next;
    session.status = payload.readUInt16LE(place);
    // Outside the proxy's transaction, no transaction would be open.
    if (one.isEnclosed) bytes[at + place]! &= ~STATUS.IN_TRANSACTION;
    const isRows = one.phase.at !== "head";
    const count = isRows ? one.rows : (matchedIn(payload, place) ?? affected.value);
    const index = one.results;
    one.results += 1;
    if (session.status & STATUS.MORE_RESULTS) {
      one.phase = { at: "head" };
      return undefined;
    }
    return { ends: true, ...(one.part.of !== undefined && { result: resultOf(one.part.of, index, count) }) };
  }

  const endAt = ({ phase }: Awaited): Meaning => (phase.at === "end" ? { ends: true } : undefined);

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
      const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
      rest = Buffer.alloc(0);
      const found: Stretch[] = [];
      let from = 0;
      let at = Math.min(left, bytes.length);
      left -= at;
      const take = (): void => {
        if (left > 0 || !meaning) return;
        found.push({ bytes: bytes.subarray(from, at), ...endOf(meaning) });
        from = at;
        meaning = undefined;
      };
      take();
      while (left === 0 && at < bytes.length) {
        const there = bytes.length - at;
        const length = there < HEADER ? 0 : bytes.readUIntLE(at, 3);
        const least = HEADER + Math.min(length, 1);
        if (there < least || there < HEADER + neededOf(bytes[at + HEADER], length)) {
          rest = bytes.subarray(at);
          break;
        }
        if (!isContinued) meaning = read(bytes, at + HEADER, length);
        isContinued = length === MOST_PAYLOAD;
        // An error of the commit replaces only the last packet.
        if (meaning && awaited[0]!.isEnclosed && at > from) {
          found.push({ bytes: bytes.subarray(from, at) });
          from = at;
        }
        const end = Math.min(at + HEADER + length, bytes.length);
        left = at + HEADER + length - end;
        at = end;
        take();
      }
      if (at > from) found.push({ bytes: bytes.subarray(from, at) });
      return found;
    },
  };

  function endOf(one: NonNullable<Meaning>): Omit<Stretch, "bytes"> {
    if ("isRequest" in one) return one;
    awaited.shift();
    const { status } = session;
    const ready = {
      inTransaction: (status & STATUS.IN_TRANSACTION) !== 0,
      begins: (status & STATUS.AUTOCOMMIT) === 0,
    };
    return { ready, ...(one.result !== undefined && { result: one.result }) };
  }
}

const definitions = (left: number, next: Phase): Phase =>
  left > 0 ? { at: "definitions", left, next } : next;

/** The number of rows that an update matched, including those that already had the new values. */
function matchedIn(payload: Buffer, from: number): number | undefined {
  const [, matched] = /Rows matched: (\d+)/.exec(payload.toString("latin1", from)) ?? [];
  return matched === undefined ? undefined : Number(matched);
}

/** A result in Postgres's format. @param index of the statement within the SQL */
function resultOf(sql: string, index: number, count: number): string {
  const texts = sql.includes(";") ? withoutLiterals(sql, MYSQL).split(/;\s*/) : [sql];
  const text = texts[index] ?? texts.at(-1)!;
  const [first = ""] = /[a-z]+/i.exec(text.replace(/^(?:\s|\/\*[\s\S]*?\*\/)+/, "")) ?? [];
  const [verb = first] =
    (/^with$/i.test(first) && /\b(?:insert|update|delete|replace|select)\b/i.exec(text)) || [];
  const name = verb.toUpperCase();
  if (/^(?:INSERT|REPLACE)$/.test(name)) return `INSERT 0 ${count}`;
  return /^(?:BEGIN|START|COMMIT|ROLLBACK|SAVEPOINT|RELEASE|SET|USE)$/.test(name) ? name : `${name} ${count}`;
}
