import type { Parameter } from "../parameters.ts";

/**
 * The values in a message that binds a prepared statement (Postgres, "Message Formats", Bind).
 * @param at where their formats start
 * @throws RangeError for a malformed message
 */
export function boundIn(frame: Buffer, at: number): Parameter[] {
  const formats = Array.from({ length: frame.readInt16BE(at) }, (_, index) =>
    frame.readInt16BE(at + 2 + 2 * index),
  );
  let next = at + 2 + 2 * formats.length;
  const count = frame.readInt16BE(next);
  next += 2;
  return Array.from({ length: count }, (_, index) => {
    const length = frame.readInt32BE(next);
    next += 4;
    if (length < 0) return null;
    const value = frame.subarray(next, next + length);
    next += length;
    // A single format applies to all values.
    const format = formats.length === 1 ? formats[0] : (formats[index] ?? 0);
    return format === 0 ? [value.toString()] : meaningsOf(value);
  });
}

/** The possible meanings of a binary value: text, an integer or a UUID. */
function meaningsOf(value: Buffer): string[] {
  const hex = value.toString("hex");
  const numbers: Partial<Record<number, () => unknown>> = {
    2: () => value.readInt16BE(0),
    4: () => value.readInt32BE(0),
    8: () => value.readBigInt64BE(0),
    16: () => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-"),
  };
  const other = numbers[value.length];
  return [value.toString(), ...(other ? [String(other())] : [])];
}
