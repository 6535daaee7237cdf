import { createHmac, randomBytes } from "node:crypto";
import { misuse } from "../errors/errors.ts";
import { iso, SECOND } from "../world/duration.ts";
import type { CapturedRequest } from "./capture-file.ts";

const PLACE = /^(?:body(?:\.[^.]+)*|header\.[A-Za-z0-9-]+)$/;
const FORM = /^application\/x-www-form-urlencoded\b/i;
const LETTERS = 26;
const DIGITS = 10;

/** A string with the colon that makes it a key, a bracket or comma, or another value. */
const TOKEN = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?|[{}[\],]|[^\s{}[\],:"]+/g;

/**
 * Replaces values of requests by others of the same kind: an e-mail address by an e-mail address, seven digits by seven
 * digits. Equal values get equal replacements, as long as this process runs. All else of a body stays byte for byte.
 * @param places such as `body.customer.email`, `body.items.*.name` or `header.X-Customer`
 * @returns what makes the request to store of one that came. It has no body if places of a body are named, and the body is
 *   neither JSON nor a form
 * @throws SandboxError `bad_request`
 */
export function redaction(places: readonly string[]) {
  const wrong = places.find((place) => !PLACE.test(place));
  if (wrong !== undefined)
    throw misuse(
      `--redact must be a place in a request, not '${wrong}'.`,
      "For example --redact body.customer.email, body.items.*.name or header.X-Customer.",
    );
  const key = randomBytes(32);
  const inBody = places.filter((place) => place.startsWith("body")).map((place) => place.split(".").slice(1));
  const inHeaders = places.flatMap((place) =>
    place.startsWith("header.") ? place.slice("header.".length).toLowerCase() : [],
  );
  const isMeant = (path: readonly (string | number)[]) =>
    inBody.some((names) =>
      names.every((name, at) => at < path.length && (name === "*" || name === `${path[at]}`)),
    );
  const replace = (value: string) => ofTheSameKind(value, createHmac("sha256", key).update(value).digest());

  function redactBody({ body, base64, headers }: CapturedRequest): string | undefined {
    if (inBody.length === 0 || body === "") return body;
    const type = Object.entries(headers).find(([name]) => name.toLowerCase() === "content-type")?.[1];
    if (type !== undefined && FORM.test(type)) return redactForm(body);
    return base64 || !isJson(body) ? undefined : redactJson(body);
  }

  function redactJson(text: string): string {
    const path: (string | number)[] = [];
    return text.replace(TOKEN, (token: string, string?: string, colon?: string) => {
      const last = path.at(-1);
      if (colon !== undefined) path[path.length - 1] = JSON.parse(string!);
      else if (token === "{") path.push("");
      else if (token === "[") path.push(0);
      else if (token === "}" || token === "]") path.pop();
      else if (token === ",") path[path.length - 1] = typeof last === "number" ? last + 1 : "";
      else if (isMeant(path))
        return string === undefined ? otherLiteral(token) : JSON.stringify(replace(JSON.parse(string)));
      return token;
    });
  }

  /** `true`, `false` and `null` tell little, and have no other of their kind. An exponent stays, so that a number stays finite. */
  const otherLiteral = (token: string): string =>
    token.replace(/^(-?)(\d+(?:\.\d+)?)/, (_all, sign, digits) => sign + replace(digits).replace(/^0/, "1"));

  const redactForm = (text: string): string =>
    text
      .split("&")
      .map((pair) => {
        const [[name, value] = ["", ""]] = new URLSearchParams(pair);
        return isMeant([name]) ? String(new URLSearchParams([[name, replace(value)]])) : pair;
      })
      .join("&");

  return (request: CapturedRequest): CapturedRequest => {
    const body = redactBody(request);
    const headers = Object.entries(request.headers).map(([name, value]) => [
      name,
      inHeaders.includes(name.toLowerCase()) ? replace(value) : value,
    ]);
    return { ...request, headers: Object.fromEntries(headers), body: body ?? "" };
  };
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Another value of the kind, made of the bytes of a digest. */
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
