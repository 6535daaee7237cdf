import { CAN, integerAt, textAt } from "./packets.ts";

/**
 * The capabilities that the proxy cannot read or does not need: compression, TLS, and results without column
 * definitions.
 */
const DECLINED =
  CAN.COMPRESS |
  CAN.SSL |
  CAN.OPTIONAL_RESULTSET_METADATA |
  CAN.ZSTD |
  CAN.QUERY_ATTRIBUTES |
  CAN.MULTI_FACTOR;
/** MariaDB's additions: progress of long statements, several commands in one, and results without definitions. */
const DECLINED_BY_MARIADB = 1 | (1 << 1) | (1 << 4);

/** The database's first message. */
export interface Greeting {
  /** The thread that serves the connection. */
  thread: number;
  capabilities: number;
  status: number;
  /** The greeting for the client, without the capabilities that the proxy declines. */
  declining: Buffer;
}

/** @param payload the payload of the first packet @throws Error for another protocol */
export function readGreeting(payload: Buffer): Greeting {
  if (payload[0] !== 10) throw new Error("not MySQL");
  const { next } = textAt(payload, 1);
  const low = next + 4 + 8 + 1;
  const high = low + 5;
  const capabilities = (payload.readUInt16LE(low) | (payload.readUInt16LE(high) << 16)) >>> 0;
  const declining = Buffer.from(payload);
  const left = capabilities & ~DECLINED;
  declining.writeUInt16LE(left & 0xff_ff, low);
  declining.writeUInt16LE(left >>> 16, high);
  // MySQL leaves these bytes empty.
  const more = high + 2 + 1 + 6;
  if (!(capabilities & CAN.LONG_PASSWORD))
    declining.writeUInt32LE((payload.readUInt32LE(more) & ~DECLINED_BY_MARIADB) >>> 0, more);
  return {
    thread: payload.readUInt32LE(next),
    capabilities,
    status: payload.readUInt16LE(low + 3),
    declining,
  };
}

/** A client's response to the greeting. */
export interface Response {
  capabilities: number;
  /** Whether the response only requests TLS. */
  asksForTls: boolean;
  database: string;
  /** How the client logs in. */
  plugin: string;
}

const TLS_REQUEST_BYTES = 32;

/** @throws Error for a client older than MySQL 4.1 */
export function readResponse(payload: Buffer): Response {
  const capabilities = payload.readUInt32LE(0);
  if (!(capabilities & CAN.PROTOCOL_41)) throw new Error("not a client of MySQL");
  const has = (flag: number): boolean => (capabilities & flag) !== 0;
  const told = { capabilities, asksForTls: has(CAN.SSL), database: "", plugin: "" };
  if (payload.length <= TLS_REQUEST_BYTES) return told;
  let at = textAt(payload, TLS_REQUEST_BYTES).next;
  if (has(CAN.PLUGIN_AUTH_LENENC)) {
    const { value, next } = integerAt(payload, at);
    at = next + value;
  } else if (has(CAN.SECURE_CONNECTION)) at += 1 + payload[at]!;
  else at = textAt(payload, at).next;
  if (has(CAN.CONNECT_WITH_DB)) {
    const { value, next } = textAt(payload, at);
    told.database = value;
    at = next;
  }
  if (has(CAN.PLUGIN_AUTH)) told.plugin = textAt(payload, at).value;
  return told;
}

/** A client's response, adapted to a database that is reached with or without TLS. */
export function responseFor(payload: Buffer, isEncrypted: boolean): Buffer {
  const bytes = Buffer.from(payload);
  const capabilities = payload.readUInt32LE(0) & ~DECLINED;
  bytes.writeUInt32LE((isEncrypted ? capabilities | CAN.SSL : capabilities) >>> 0, 0);
  return bytes;
}
