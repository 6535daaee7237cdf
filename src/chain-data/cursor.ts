import { clip } from "../http/violation-text.ts";
import { badRequest, type DataError } from "./errors.ts";
import type { Query } from "./query.ts";
import type { AddressToken } from "./schemas.ts";

/** The start of a page: it follows `start` rows, the last of which has this value, type and name. */
export interface Cursor {
  start: number;
  value: number;
  type: string;
  name: string;
}

/** The row before a page, stored with the page. */
export interface LastRow {
  value: string;
  token_type: string;
  token_name: string;
}

const KEYS = ["items_count", "value", "token_type", "token_name"] as const;
const WAY_OUT =
  "Send back all keys of next_page_params unchanged, or omit them to start from the first page.";

/**
 * Reads the `next_page_params` keys from a query. If none of them is present, it is the first page.
 * @throws DataError 400 with the missing or invalid parameter
 */
export function readCursor(query: Query): Cursor | undefined {
  if (query.items_count === undefined && query.value === undefined && query.token_type === undefined) {
    if (nameOf(query.token_name) === "") return undefined;
    throw cursorError("items_count, value and token_type are missing: token_name alone is not a cursor.");
  }
  for (const key of KEYS) if (Array.isArray(query[key])) throw cursorError(`${key} is given more than once.`);
  const { items_count: count, value, token_type: type, token_name: name } = query as Record<string, string>;
  for (const [key, text] of [
    ["items_count", count],
    ["value", value],
    ["token_type", type],
  ] as const)
    if (text === undefined || text === "") throw cursorError(`${key} is missing.`);
  const start = /^\d{1,15}$/.test(count!) ? Number(count) : 0;
  if (start < 1) throw cursorError(`items_count must be a whole number of at least 1, not '${clip(count)}'.`);
  // An unencoded plus arrives as a space.
  const digits = value!.replace(" ", "+");
  if (!/^\d+(?:\.\d+)?(?:e\+?\d+)?$/i.test(digits))
    throw cursorError(`value must be a number of at least 0, not '${clip(value)}'.`);
  return { start, value: Number(digits), type: type!, name: nameOf(name) };
}

/** Whether the cursor matches the row before a page. */
export function fits(cursor: Cursor, last: LastRow): boolean {
  return (
    Number(last.value) === cursor.value && last.token_type === cursor.type && last.token_name === cursor.name
  );
}

/**
 * The error for a cursor that does not match this listing: it belongs to another address, filter or walk, or is out of
 * date.
 */
export function lostCursor({ start }: Cursor): DataError {
  return cursorError(
    `items_count ${start} with this value, token_type and token_name is not a position in this listing.`,
  );
}

export function lastRow({ value, token }: AddressToken): LastRow {
  return { value, token_type: token.type, token_name: nameOf(token.name) };
}

export function nextPageParams({ value, token }: AddressToken, count: number) {
  return { items_count: count, token_name: token.name, token_type: token.type, value: Number(value) };
}

/** Normalizes a name: missing, empty and literal "null" names are equal. */
function nameOf(name: string | string[] | null | undefined): string {
  if (Array.isArray(name)) return name.join(",");
  return name === undefined || name === null || name === "null" ? "" : name;
}

function cursorError(what: string): DataError {
  return badRequest(`The cursor is not valid: ${what} ${WAY_OUT}`);
}
