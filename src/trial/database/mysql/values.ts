import { exactNumber, parseExact } from "../exact-json.ts";
import type { MysqlColumn } from "./catalog.ts";
import { literal } from "./client.ts";

/** Converts column values to JSON values, and back to SQL. */

const NUMBERS = /^(?:(?:tiny|small|medium|big)?int|integer|decimal|numeric|float|double|real|year)$/;
const BYTES =
  /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)$/;
const UUID_BYTES = 16;
const AS_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** @param field the raw value from the server */
export function asJson(
  { type, size }: MysqlColumn,
  field: { string(): string | null; buffer(): Buffer | null },
): unknown {
  if (BYTES.test(type) || type === "bit") {
    const bytes = field.buffer();
    const hex = bytes?.toString("hex");
    if (hex === undefined) return null;
    if (type === "bit") return exactNumber(BigInt(`0x${hex || 0}`).toString());
    // Show UUIDs stored as bytes in their text form, in which they are also referenced.
    return size === UUID_BYTES && bytes!.length === UUID_BYTES
      ? hex.replace(AS_UUID, "$1-$2-$3-$4-$5")
      : `0x${hex}`;
  }
  const text = field.string();
  if (text === null) return null;
  if (NUMBERS.test(type)) return exactNumber(text);
  return type === "json" ? parsed(text) : text;
}

function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return text;
  }
}

/** Formats a value as SQL with its column's type: MySQL would compare a string with a number as doubles. */
export function asSql({ type }: MysqlColumn, value: unknown): string {
  if (value === null) return "null";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (BYTES.test(type)) {
    const hex = text.replace(/^0x/, "").replaceAll("-", "");
    return /^(?:[0-9a-f]{2})*$/i.test(hex) ? `x'${hex}'` : literal(text);
  }
  return (NUMBERS.test(type) || type === "bit") && /^-?\d+(?:\.\d+)?$/.test(text) ? text : literal(text);
}
