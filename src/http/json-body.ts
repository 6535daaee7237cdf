import { isUtf8 } from "node:buffer";
import { parseExactJson } from "../schema/parse-file.ts";
import { fieldPath } from "./field-path.ts";
import { clip, kindOf } from "./violation-text.ts";

/** How deeply a body's objects and arrays may be nested. */
export const MAX_BODY_DEPTH = 100;

const BYTE_ORDER_MARK = "\uFEFF";

/** The error for a body that is not a JSON object. Each area converts it to its own 400 response. */
export class InvalidBody extends Error {
  readonly statusCode = 400;
  /** The path of the invalid value, if there is one. */
  readonly field: string | undefined;
  constructor(message: string, field?: string) {
    super(message);
    this.name = "InvalidBody";
    this.field = field;
  }
}

/**
 * Reads a JSON object. Strings must be valid Unicode: an unpaired surrogate is an error. Returns undefined for an empty
 * body.
 * @param exactField a JSON field whose numbers are passed on exactly as they were written
 * @throws InvalidBody
 */
export function readJsonObject(bytes: Buffer, exactField?: string): object | undefined {
  if (bytes.length === 0) return undefined;
  if (!isUtf8(bytes)) throw new InvalidBody("The request body is not valid UTF-8.");
  const text = bytes.toString("utf8");
  const json = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const value = parse(json);
  if (value === null || typeof value !== "object" || Array.isArray(value))
    throw new InvalidBody(`The request body must be a JSON object, not ${kindOf(value)}.`);
  // Most bodies need no inspection: an unpaired surrogate can only be written as an escape, and deep nesting takes many
  // characters.
  if (text.includes("\\u") || text.length > 2 * MAX_BODY_DEPTH) inspect(value, value, []);
  if (exactField !== undefined && Object.hasOwn(value, exactField))
    return { ...value, [exactField]: (parseExactJson(json) as Record<string, unknown>)[exactField] };
  return value;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new InvalidBody(`The request body is not valid JSON: ${(error as Error).message}.`);
  }
}

function inspect(value: unknown, root: unknown, path: string[]): void {
  if (typeof value === "string") checkText(value, root, path);
  if (value === null || typeof value !== "object") return;
  if (path.length >= MAX_BODY_DEPTH)
    throw new InvalidBody(`The request body must not nest deeper than ${MAX_BODY_DEPTH} levels.`, path[0]);
  for (const [key, item] of Object.entries(value)) {
    checkText(key, root, path);
    inspect(item, root, [...path, key]);
  }
}

function checkText(text: string, root: unknown, path: string[]): void {
  if (!/\p{Surrogate}/u.test(text)) return;
  const field = fieldPath(root, path) || "body";
  throw new InvalidBody(
    `${clip(field)} contains half of a surrogate pair, which is not valid Unicode.`,
    field,
  );
}
