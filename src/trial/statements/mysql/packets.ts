/**
 * Packets of MySQL's client/server protocol (MariaDB's documentation, "MariaDB Protocol"), as the proxy reads and writes
 * them.
 */

/** The bytes of a packet before its payload: the payload's length and the packet's number. */
export const HEADER = 4;
/** The payload length of a packet that is continued by another. */
export const MOST_PAYLOAD = 0xff_ff_ff;

/** Capabilities of both sides of a connection. */
export const CAN = {
  LONG_PASSWORD: 1,
  CONNECT_WITH_DB: 1 << 3,
  COMPRESS: 1 << 5,
  PROTOCOL_41: 1 << 9,
  SSL: 1 << 11,
  SECURE_CONNECTION: 1 << 15,
  PLUGIN_AUTH: 1 << 19,
  PLUGIN_AUTH_LENENC: 1 << 21,
  SESSION_TRACK: 1 << 23,
  DEPRECATE_EOF: 1 << 24,
  OPTIONAL_RESULTSET_METADATA: 1 << 25,
  ZSTD: 1 << 26,
  QUERY_ATTRIBUTES: 1 << 27,
  MULTI_FACTOR: 1 << 28,
} as const;

/** A connection's state, in the packet that ends a result. */
export const STATUS = {
  IN_TRANSACTION: 1,
  AUTOCOMMIT: 2,
  MORE_RESULTS: 8,
  CURSOR_EXISTS: 64,
} as const;

/** The first byte of a packet that ends a response or requests something. */
export const OK = 0x00;
export const REQUEST = 0xfb;
export const EOF = 0xfe;
export const ERROR = 0xff;

export function packet(number: number, payload: Buffer): Buffer {
  const head = Buffer.alloc(HEADER);
  head.writeUIntLE(payload.length, 0, 3);
  head[3] = number;
  return Buffer.concat([head, payload]);
}

export function errorPacket(number: number, code: number, state: string, message: string): Buffer {
  const head = Buffer.alloc(3);
  head[0] = ERROR;
  head.writeUInt16LE(code, 1);
  return packet(number, Buffer.concat([head, Buffer.from(`#${state}${message}`)]));
}

/** An integer of one to nine bytes, and where it ends. */
export function integerAt(bytes: Buffer, at: number): { value: number; next: number } {
  const first = bytes[at]!;
  if (first < 0xfb) return { value: first, next: at + 1 };
  const size = { 252: 2, 253: 3, 254: 6 }[first] ?? 0;
  return { value: size === 0 ? 0 : bytes.readUIntLE(at + 1, size), next: at + 1 + (size === 6 ? 8 : size) };
}

/** A null-terminated string, and where it ends. */
export function textAt(bytes: Buffer, at: number): { value: string; next: number } {
  const end = bytes.indexOf(0, at);
  return end < 0
    ? { value: bytes.toString("utf8", at), next: bytes.length }
    : { value: bytes.toString("utf8", at, end), next: end + 1 };
}

/** A complete payload, from one packet or several. */
export interface Payload {
  /** The number of the payload's last packet. */
  number: number;
  bytes: Buffer;
  payload: Buffer;
}

/** Splits bytes into payloads. */
export function createPayloadReader(): (chunk: Buffer) => Payload[] {
  const waiting: Buffer[] = [];
  let [have, needed] = [0, HEADER];
  return (chunk) => {
    waiting.push(chunk);
    have += chunk.length;
    if (have < needed) return [];
    const bytes = waiting.length === 1 ? chunk : Buffer.concat(waiting);
    const found: Payload[] = [];
    let from = 0;
    for (;;) {
      const whole = wholeAt(bytes, from);
      needed = typeof whole === "number" ? whole : HEADER;
      if (typeof whole === "number") break;
      found.push(whole);
      from += whole.bytes.length;
    }
    waiting.splice(0, waiting.length, ...(from < bytes.length ? [bytes.subarray(from)] : []));
    have = bytes.length - from;
    return found;
  };
}

/** @returns how many bytes are needed, if some are missing */
function wholeAt(bytes: Buffer, from: number): Payload | number {
  const parts: Buffer[] = [];
  for (let at = from; ; ) {
    if (bytes.length - at < HEADER) return at + HEADER - from;
    const length = bytes.readUIntLE(at, 3);
    const end = at + HEADER + length;
    if (bytes.length < end) return end - from;
    parts.push(bytes.subarray(at + HEADER, end));
    if (length < MOST_PAYLOAD)
      return {
        number: bytes[at + 3]!,
        bytes: bytes.subarray(from, end),
        payload: parts.length === 1 ? parts[0]! : Buffer.concat(parts),
      };
    at = end;
  }
}
