import { badRequest } from "./errors.ts";
import { MAX_STATE_BYTES, MAX_STATE_DEPTH } from "./limits.ts";

/** Serializes an object with one more field whose value is already JSON. */
export function withJsonField(fields: object, name: string, json: string): string {
  return `${JSON.stringify(fields).slice(0, -1)},${JSON.stringify(name)}:${json}}`;
}

/**
 * Checks that a string is valid JSON. States are stored as strings, so their keys can never become properties here.
 * @throws GameError BadRequest
 */
export function checkJsonText(field: string, text: string): void {
  const problem = findProblem(text);
  if (problem) throw badRequest(`${field} ${problem.answer}`);
}

/** Describes the problem with a string that must be JSON; undefined if it is valid. */
export const jsonProblem = (text: string): string | undefined => findProblem(text)?.short;

/** @returns a short description, and the end of the API's message, which starts with the field's name */
function findProblem(text: string): { short: string; answer: string } | undefined {
  const bytes = Buffer.byteLength(text);
  if (bytes > MAX_STATE_BYTES)
    return {
      short: `it has ${bytes} bytes`,
      answer: `has ${bytes} bytes in UTF-8, more than ${MAX_STATE_BYTES} (1 MiB). Store less, or split it across several labels.`,
    };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    const { message } = error as Error;
    return {
      short: message,
      answer: `must be a string that contains JSON: ${message}. Send JSON.stringify(…) of the value.`,
    };
  }
  if (nestsWithin(value, MAX_STATE_DEPTH)) return undefined;
  return {
    short: `it nests deeper than ${MAX_STATE_DEPTH} levels`,
    answer: `must not nest deeper than ${MAX_STATE_DEPTH} levels.`,
  };
}

function nestsWithin(value: unknown, levels: number): boolean {
  if (value === null || typeof value !== "object") return true;
  if (levels === 0) return false;
  const items: unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) if (!nestsWithin(item, levels - 1)) return false;
  return true;
}
