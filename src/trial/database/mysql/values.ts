import { exactNumber, parseExact } from "../exact-json.ts";
import type { MysqlColumn } from "./catalog.ts";
import { literal } from "./client.ts";

/** Values of columns as JSON values, and back as SQL. */

const NUMBERS = /^(?:(?:tiny|small|medium|big)?int|integer|decimal|numeric|float|double|real|year)$/;
const BYTES =
  /^(?:(?:var)?binary|(?:tiny|medium|long)?blob|geometry|point|linestring|polygon|multi\w+|geom\w+|vector)$/;
const UUID_BYTES = 16;
const AS_UUID = /^([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})$/;

/** @param field the value as the server sends it */
export function asJson(
  { type, size }: MysqlColumn,
  field: { string(): string | null; buffer(): Buffer | null },
): unknown {
  if (BYTES.test(type) || type === "bit") {
    const bytes = field.buffer();
    const hex = bytes?.toString("hex");
    if (hex === undefined) return null;
    if (type === "bit") return exactNumber(BigInt(`0x${hex || 0}`).toString());
    // Ids that are stored as bytes are read, and referred to, as texts.
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

/** A value as SQL, in the type of its column: a text would be compared as a double with a number. */
export function asSql({ type }: MysqlColumn, value: unknown): string {
  if (value === null) return "null";
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (BYTES.test(type)) {
    const hex = text.replace(/^0x/, "").replaceAll("-", "");
    return /^(?:[0-9a-f]{2})*$/i.test(hex) ? `x'${hex}'` : literal(text);
  }
  return (NUMBERS.test(type) || type === "bit") && /^-?\d+(?:\.\d+)?$/.test(text) ? text : literal(text);
}
