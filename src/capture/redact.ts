import { createHmac, randomBytes } from "node:crypto";
import { misuse } from "../errors/errors.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import { type ChangeValue, namesIn, type Path, rewriteForm, rewriteJson } from "../webhooks/body-text.ts";
import { iso, SECOND } from "../world/duration.ts";
import type { CapturedRequest } from "./capture-file.ts";

const PLACE = /^(?:body(?:\.[^.]+)*|query(?:\.[^.]+)+|header\.[A-Za-z0-9-]+)$/;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const LETTERS = 26;
const DIGITS = 10;

/** Replaces the values at specified places in requests, and counts the replacements. */
export interface Redaction {
  /**
   * Redacts a received request before it is stored. The body is left out if places in the body are specified but the
   * body is neither JSON nor a form.
   * @returns the request, and the places that had no value in a request for the first time
   */
  redact(request: CapturedRequest): { request: CapturedRequest; missed: string[] };
  /** For each place, the number of requests in which it had a value. */
  found(): { place: string; requests: number }[];
}

/** A place specified by the user: `body.customer.email` means two nested names in the body. */
interface Place {
  written: string;
  part: string;
  names: string[];
  requests: number;
  isMissed: boolean;
}

/**
 * Replaces values in requests with others of the same kind: an e-mail address with an e-mail address, seven digits with
 * seven digits. While this process runs, equal values get equal replacements. The rest of a body is preserved byte for
 * byte.
 * @param written the places, such as `body.customer.email`, `body.items.*.name`, `query.email` or `header.X-Customer`.
 * Names with dots and form names such as `customer[email]` match nested names, and JSON inside strings is searched, too
 * @throws SandboxError `bad_request`
 */
export function createRedaction(written: readonly string[]): Redaction {
  const wrong = written.find((place) => !PLACE.test(place));
  if (wrong !== undefined)
    throw misuse(
      `--redact must be the path of a value in a request, not '${wrong}'.`,
      "For example: --redact body.customer.email, body.items.*.name, query.email or header.X-Customer.",
    );
  const key = randomBytes(32);
  const places = [...new Set(written)].map((text): Place => {
    const [part = "", ...names] = text.split(".");
    // Header names are case-insensitive.
    const own = part === "header" ? names.map((name) => name.toLowerCase()) : names;
    return { written: text, part, names: own, requests: 0, isMissed: false };
  });
  /** The places where the current request has a value. */
  const met = new Set<Place>();

  const isMeant = (part: string, path: Path): boolean => {
    const at = namesIn(path);
    const meant = places.filter(
      (place) =>
        place.part === part &&
        place.names.every((name, index) => index < at.length && (name === "*" || name === at[index])),
    );
    for (const place of meant) met.add(place);
    return meant.length > 0;
  };
  const replace = (value: string) => ofTheSameKind(value, createHmac("sha256", key).update(value).digest());

  const changeOf =
    (part: string): ChangeValue =>
    (path, text, isString) =>
      !isMeant(part, path) ? text : isString ? replace(text) : otherLiteral(text);

  function redactBody({ body, base64, headers }: CapturedRequest): string | undefined {
    if (!places.some(({ part }) => part === "body") || body === "") return body;
    // Valid JSON may also be a single value.
    if (!base64 && unlessThrown(() => JSON.parse(body)) !== undefined)
      return rewriteJson(body, changeOf("body"));
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
    return type !== undefined && FORM.test(type) ? rewriteForm(body, changeOf("body")) : undefined;
  }

  /** Keep the exponent, so the number stays finite. */
  const otherLiteral = (token: string): string =>
    token.replace(/^(-?)(\d+(?:\.\d+)?)/, (_all, sign, digits) => sign + replace(digits).replace(/^0/, "1"));

  function redactPath(path: string): string {
    const query = path.indexOf("?") + 1;
    return query === 0 ? path : path.slice(0, query) + rewriteForm(path.slice(query), changeOf("query"));
  }

  return {
    redact(request) {
      met.clear();
      const body = redactBody(request);
      const headers = Object.entries(request.headers).map(([name, value]) => [
        name,
        isMeant("header", [name.toLowerCase()]) ? replace(value) : value,
      ]);
      const path = redactPath(request.path);
      for (const place of met) place.requests += 1;
      // If the body was left out, only that is reported, and not the missing places in it.
      const missed = places.filter(
        (place) => !met.has(place) && !place.isMissed && (place.part !== "body" || body !== undefined),
      );
      for (const place of missed) place.isMissed = true;
      return {
        request: { ...request, path, headers: Object.fromEntries(headers), body: body ?? "" },
        missed: missed.map((place) => place.written),
      };
    },
    found: () => places.map(({ written: place, requests }) => ({ place, requests })),
  };
}

/** A value of the same kind, generated from a digest. */
function ofTheSameKind(value: string, digest: Buffer): string {
  if (/^[^@\s]+@[^@\s]+$/.test(value)) return `u${digest.toString("hex", 0, 6)}@example.com`;
  if (/^\d{4}-\d\d-\d\d(?:$|T)/.test(value))
    return iso(digest.readUInt32BE() * SECOND).slice(0, 10) + value.slice(10);
  let at = 0;
  const next = (count: number) => digest[at++ % digest.length]! % count;
  const letter = (first: string) => String.fromCharCode(first.charCodeAt(0) + next(LETTERS));
  return value.replace(/\p{Nd}|\p{Lu}|\p{L}/gu, (character) =>
    /\p{Nd}/u.test(character) ? String(next(DIGITS)) : letter(/\p{Lu}/u.test(character) ? "A" : "a"),
  );
}
