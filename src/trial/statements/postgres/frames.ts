/**
 * Reads the Postgres wire protocol (its manual, "Frontend/Backend Protocol"): pure functions of bytes. Client messages
 * are split into parts, which reach the database one at a time. Responses are read only as far as necessary to find
 * their end.
 */

import { literalsIn } from "../parameters.ts";
import type { Part, Stretch } from "../wire.ts";
import { boundIn } from "./bound.ts";
import { HEADER, text } from "./messages.ts";

/** First messages are short; a longer one does not come from a Postgres client. */
const MOST_STARTUP = 10_000;
const PROTOCOL = 3;

/** The first message of a connection: the client's request. */
export type FirstMessage =
  /** Encryption, with TLS or GSSAPI. */
  | { kind: "encryption" }
  | { kind: "cancel"; pid: number }
  | { kind: "startup"; parameters: Map<string, string>; version: number };

/** @returns undefined until the message is complete. @throws Error if the bytes are not a first message */
export function readFirst(bytes: Buffer): { message: FirstMessage; length: number } | undefined {
  if (bytes.length < 4) return undefined;
  const length = bytes.readUInt32BE(0);
  if (length < 8 || length > MOST_STARTUP) throw new Error("not a client of Postgres");
  if (bytes.length < length) return undefined;
  const code = bytes.readUInt32BE(4);
  if (code === 80877103 || code === 80877104) return { message: { kind: "encryption" }, length };
  if (code === 80877102 && length >= 16)
    return { message: { kind: "cancel", pid: bytes.readUInt32BE(8) }, length };
  if (code >>> 16 !== PROTOCOL) throw new Error("not a client of Postgres");
  const words = bytes.toString("utf8", 8, length).split("\0");
  const parameters = new Map<string, string>();
  for (let at = 0; at + 1 < words.length && words[at] !== ""; at += 2)
    parameters.set(words[at]!, words[at + 1]!);
  return { message: { kind: "startup", parameters, version: code }, length };
}

type Executed = Pick<Part, "values"> & { sql: string };

const queryIn = (sql: string): Executed => ({ sql, values: () => literalsIn(sql) });

/** Splits the bytes that a client sends after its login into parts. */
export function createPartReader(): (chunk: Buffer) => Part[] {
  const waiting: Buffer[] = [];
  /** Frames of the next part. */
  const begun: Buffer[] = [];
  let [have, needed] = [0, HEADER];
  /** Prepared statements, keyed by name, and the statements that portals execute. */
  const statements = new Map<string, string>();
  const portals = new Map<string, Executed>();
  let executed: Executed[] = [];
  /** Whether the executed statement was flushed but not yet synced. */
  let isOpen = false;
  /** Whether the database responds to the latest part with the simple protocol. */
  let isSimple = false;
  /** Whether rows were copied in. If so, the next sync ends the response to the COPY. */
  let hasCopied = false;

  function take(part: Pick<Part, "isAnswered" | "isMore">): Omit<Part, "bytes"> {
    const made = part.isMore ? [] : executed;
    const sql = made.length === 0 ? undefined : made.map((one) => one.sql).join("; ");
    executed = [];
    return { ...part, sql, values: () => made.flatMap((one) => one.values()) };
  }

  function read(type: string, frame: Buffer): Omit<Part, "bytes"> | undefined {
    switch (type) {
      case "Q":
        isSimple = true;
        executed.push(queryIn(text(frame, HEADER).value));
        return take({ isAnswered: true, isMore: false });
      case "F":
        isSimple = true;
        return take({ isAnswered: true, isMore: false });
      case "P": {
        const { value: name, next } = text(frame, HEADER);
        statements.set(name, text(frame, next).value);
        return undefined;
      }
      case "B": {
        const { value: portal, next } = text(frame, HEADER);
        const { value: name, next: rest } = text(frame, next);
        portals.set(portal, { sql: statements.get(name) ?? "", values: () => boundIn(frame, rest) });
        return undefined;
      }
      case "E":
        isSimple = false;
        executed.push(portals.get(text(frame, HEADER).value) ?? queryIn(""));
        return undefined;
      case "H": {
        const isMore = isOpen;
        isOpen ||= executed.length > 0;
        return take({ isAnswered: false, isMore });
      }
      case "S": {
        const isMore = isOpen || hasCopied;
        [isOpen, hasCopied] = [false, false];
        return take({ isAnswered: true, isMore });
      }
      case "d":
      case "c":
      case "f":
        hasCopied = type !== "d" && !isSimple && !isOpen;
        return take({ isAnswered: false, isMore: true });
      case "X":
        return take({ isAnswered: false, isMore: false });
      default:
        return undefined;
    }
  }

  return (chunk) => {
    waiting.push(chunk);
    have += chunk.length;
    if (have < needed) return [];
    const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting);
    const parts: Part[] = [];
    let [from, at] = [0, 0];
    for (needed = HEADER; bytes.length - at >= needed; needed = HEADER) {
      needed = 1 + bytes.readUInt32BE(at + 1);
      if (bytes.length - at < needed) break;
      const part = read(String.fromCharCode(bytes[at]!), bytes.subarray(at, at + needed));
      at += needed;
      if (!part) continue;
      parts.push({ ...part, bytes: [...begun.splice(0), bytes.subarray(from, at)] });
      from = at;
    }
    if (at > from) begun.push(bytes.subarray(from, at));
    waiting.splice(0, waiting.length, ...(at < bytes.length ? [bytes.subarray(at)] : []));
    have = bytes.length - at;
    return parts;
  };
}

/** What the database's bytes reveal besides the responses: the process that serves the connection. */
interface PostgresStretch extends Stretch {
  pid?: number;
}

/** The maximum number of bytes of a frame to read. */
const MOST_READ = 10_000;

/** Reads the database's bytes. Waits for the end of a frame only if the frame matters. */
export function createAnswerReader(): (chunk: Buffer) => PostgresStretch[] {
  let rest: Buffer = Buffer.alloc(0);
  /** The remaining bytes of a frame. */
  let left = 0;
  /** The results of the current response so far. */
  let told: Omit<PostgresStretch, "bytes"> = {};

  return (chunk) => {
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    rest = Buffer.alloc(0);
    const found: PostgresStretch[] = [];
    let [from, count] = [0, 0];
    let at = Math.min(left, bytes.length);
    left -= at;
    while (left === 0 && at < bytes.length) {
      const length = bytes.length - at < HEADER ? 0 : 1 + bytes.readUInt32BE(at + 1);
      const type = String.fromCharCode(bytes[at]!);
      const matters = length === 0 || ("ZCEKR".includes(type) && length <= MOST_READ);
      if (matters && (length === 0 || bytes.length - at < length)) {
        rest = bytes.subarray(at);
        break;
      }
      const end = Math.min(at + length, bytes.length);
      left = at + length - end;
      if (matters) {
        const frame = bytes.subarray(at, end);
        Object.assign(told, meaning(type, frame));
        if (type === "Z") found.push({ bytes: bytes.subarray(from, end), ...told });
        else if (type === "R" && frame.includes(PLUS))
          found.push({ bytes: bytes.subarray(from, at) }, { bytes: withoutPlus(frame) });
        if (type === "Z") told = {};
        if (found.length > count) from = end;
        count = found.length;
      }
      at = end;
    }
    if (at > from) found.push({ bytes: bytes.subarray(from, at) });
    return found;
  };
}

/** The ReadyForQuery status outside a transaction. */
const IDLE = "I".charCodeAt(0);

const PLUS = "SCRAM-SHA-256-PLUS\0";

/** Removes SCRAM-PLUS from the offered logins, because it is bound to the encryption, which ends at the proxy. */
function withoutPlus(frame: Buffer): Buffer {
  const text = frame.toString("latin1").replace(PLUS, "");
  const plain = Buffer.from(text, "latin1");
  plain.writeUInt32BE(plain.length - 1, 1);
  return plain;
}

function meaning(type: string, frame: Buffer): Omit<PostgresStretch, "bytes"> {
  switch (type) {
    case "Z":
      return { ready: { inTransaction: frame[HEADER] !== IDLE, begins: false } };
    case "K":
      return { pid: frame.readUInt32BE(HEADER) };
    case "R":
      return {};
    case "C":
      return { result: text(frame, HEADER).value };
    default: {
      const fields = frame.toString("utf8", HEADER).split("\0");
      return { result: fields.find((field) => field[0] === "C")?.slice(1) ?? "error" };
    }
  }
}
