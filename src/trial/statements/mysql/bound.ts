import type { Parameter } from "../parameters.ts";
import { integerAt } from "./packets.ts";

/** Where the parameters of COM_STMT_EXECUTE start. */
const PARAMETERS = 10;

/** The parameters' types, if an execute message contains them. */
export function typesIn(payload: Buffer, count: number): Buffer | undefined {
  const at = PARAMETERS + ((count + 7) >> 3);
  return count > 0 && payload[at] === 1 ? payload.subarray(at + 1, at + 1 + 2 * count) : undefined;
}

/**
 * The values in a message that executes a prepared statement (COM_STMT_EXECUTE).
 * @param long values that were sent earlier in chunks
 * @throws RangeError for a malformed message
 */
export function executedValues(
  payload: Buffer,
  count: number,
  types: Buffer | undefined,
  long?: ReadonlyMap<number, readonly Buffer[]>,
): Parameter[] {
  if (count === 0 || !types) return [];
  const flag = PARAMETERS + ((count + 7) >> 3);
  let next = flag + 1 + (payload[flag] === 1 ? 2 * count : 0);
  return Array.from({ length: count }, (_, index) => {
    const pieces = long?.get(index);
    if (pieces) return textsOf(Buffer.concat(pieces));
    if (payload[PARAMETERS + (index >> 3)]! & (1 << (index & 7))) return null;
    const read = valueAt(payload, next, types[2 * index]!, types[2 * index + 1]! >= 0x80);
    next = read.next;
    return read.value;
  });
}

const [HAS_TYPES, IS_VALUE] = [128, 0];

/** The values of the first row in a message that executes a statement for many rows (MariaDB's COM_STMT_BULK_EXECUTE). */
export function bulkValues(payload: Buffer, count: number): Parameter[] {
  const flags = payload.readUInt16LE(5);
  if (!(flags & HAS_TYPES)) return [];
  let next = 7 + 2 * count;
  return Array.from({ length: count }, (_, index) => {
    const indicator = payload[next]!;
    next += 1;
    if (indicator !== IS_VALUE) return null;
    const read = valueAt(payload, next, payload[7 + 2 * index]!, payload[8 + 2 * index]! >= 0x80);
    next = read.next;
    return read.value;
  });
}

type Read = { value: Parameter; next: number };

function valueAt(bytes: Buffer, at: number, type: number, isUnsigned: boolean): Read {
  const number = (size: number, value: number | bigint): Read => ({
    value: [String(value)],
    next: at + size,
  });
  switch (type) {
    case 1:
      return number(1, isUnsigned ? bytes.readUInt8(at) : bytes.readInt8(at));
    case 2:
    case 13:
      return number(2, isUnsigned ? bytes.readUInt16LE(at) : bytes.readInt16LE(at));
    case 3:
    case 9:
      return number(4, isUnsigned ? bytes.readUInt32LE(at) : bytes.readInt32LE(at));
    case 8:
      return number(8, isUnsigned ? bytes.readBigUInt64LE(at) : bytes.readBigInt64LE(at));
    case 4:
      return number(4, bytes.readFloatLE(at));
    case 5:
      return number(8, bytes.readDoubleLE(at));
    case 6:
      return { value: null, next: at };
    case 7:
    case 10:
    case 12:
      return dateAt(bytes, at);
    case 11:
      return timeAt(bytes, at);
    default: {
      const { value: length, next } = integerAt(bytes, at);
      const end = next + length;
      if (end > bytes.length) throw new RangeError("The message is malformed.");
      return { value: textsOf(bytes.subarray(next, end)), next: end };
    }
  }
}

/** The possible meanings of bytes: text or a UUID. */
function textsOf(bytes: Buffer): string[] {
  const uuid = bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
  return [bytes.toString(), ...(bytes.length === 16 ? [uuid] : [])];
}

const two = (value: number): string => String(value).padStart(2, "0");
const fraction = (bytes: Buffer, at: number): string => `.${String(bytes.readUInt32LE(at)).padStart(6, "0")}`;

function dateAt(bytes: Buffer, at: number): Read {
  const length = bytes[at]!;
  const [year, rest] =
    length === 0 ? [0, Buffer.alloc(5)] : [bytes.readUInt16LE(at + 1), bytes.subarray(at + 3)];
  const date = `${String(year).padStart(4, "0")}-${two(rest[0]!)}-${two(rest[1]!)}`;
  const time = length > 4 ? ` ${two(rest[2]!)}:${two(rest[3]!)}:${two(rest[4]!)}` : "";
  return { value: [date + time + (length > 7 ? fraction(bytes, at + 8) : "")], next: at + 1 + length };
}

function timeAt(bytes: Buffer, at: number): Read {
  const length = bytes[at]!;
  const isNegative = length > 0 && bytes[at + 1] === 1;
  const hours = length > 0 ? 24 * bytes.readUInt32LE(at + 2) + bytes[at + 6]! : 0;
  const [minutes, seconds] = length > 0 ? [bytes[at + 7]!, bytes[at + 8]!] : [0, 0];
  const text = `${isNegative ? "-" : ""}${two(hours)}:${two(minutes)}:${two(seconds)}`;
  return { value: [text + (length > 8 ? fraction(bytes, at + 9) : "")], next: at + 1 + length };
}
