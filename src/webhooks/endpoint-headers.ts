import { misuse } from "../errors/errors.ts";

/** Headers added to all deliveries of an endpoint, keyed by name. */
export type EndpointHeaders = Readonly<Record<string, string>>;

const MOST_HEADERS = 20;
const MOST_NAME = 100;
const MOST_VALUE = 1_000;
const NAME = /^[A-Za-z0-9_-]+$/;
const VALUE = /^[\t\x20-\x7e]*$/;
/** Headers set by HTTP, the connection or Sandglass. */
const OF_THE_REQUEST =
  /^(?:accept-encoding|connection|content-.*|date|expect|host|keep-alive|proxy-.*|te|trailer|transfer-encoding|upgrade|user-agent|x-sandbox-.*)$/i;

/** A header that endpoints cannot set. */
export interface HeaderProblem {
  /** The field, such as `headers` or `headers.X-Tenant`. */
  field: string;
  /** The end of a sentence that starts with "must be". */
  expected: string;
  value: unknown;
  hint: string;
}

/**
 * What is wrong with an endpoint's headers; undefined if they are valid. @param taken the names of headers that its
 * sender sets
 */
export function headersProblem(
  headers: EndpointHeaders,
  taken: readonly string[],
): HeaderProblem | undefined {
  const names = Object.keys(headers);
  const inHeaders = (expected: string, value: unknown): HeaderProblem => ({
    field: "headers",
    expected,
    value,
    hint: "For example: X-Tenant: acme",
  });
  if (names.length > MOST_HEADERS) return inHeaders(`at most ${MOST_HEADERS} headers`, names.length);
  const own = new Set(taken.map((name) => name.toLowerCase()));
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const key = name.toLowerCase();
    if (!NAME.test(name) || name.length > MOST_NAME)
      return inHeaders(
        `an object whose header names have 1 to ${MOST_NAME} letters, digits, hyphens or underscores`,
        name.slice(0, MOST_NAME),
      );
    if (seen.has(key)) return inHeaders("an object whose header names differ in more than case", name);
    seen.add(key);
    const problem = (expected: string, hint: string): HeaderProblem => ({
      field: `headers.${name}`,
      expected,
      value: String(value).slice(0, MOST_NAME),
      hint,
    });
    if (own.has(key) || OF_THE_REQUEST.test(name))
      return problem("omitted (every delivery sets it)", "Choose another name, such as X-Tenant.");
    if (!VALUE.test(value) || value.length > MOST_VALUE)
      return problem(
        `a single-line string of at most ${MOST_VALUE} printable ASCII characters`,
        "Encode other characters, for example as base64.",
      );
  }
  return undefined;
}

/** @throws SandboxError `bad_request` for headers that cannot be set */
export function checkHeaders(headers: EndpointHeaders, taken: readonly string[]): void {
  const problem = headersProblem(headers, taken);
  if (!problem) return;
  const { field, expected, value, hint } = problem;
  throw misuse(`${field} must be ${expected}, not ${JSON.stringify(value)}.`, hint, field);
}

export const storedHeaders = (headers: EndpointHeaders | undefined): string | null =>
  headers === undefined || Object.keys(headers).length === 0 ? null : JSON.stringify(headers);

export const readStoredHeaders = (stored: string | null): EndpointHeaders =>
  stored === null ? {} : JSON.parse(stored);
