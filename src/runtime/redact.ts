import { unlessThrown } from "./unless-thrown.ts";

/** URL parameters that contain passwords. */
const SECRET = /^(?:password|passwd|pwd|passphrase|sslpassword)$/i;
const ADDRESS = /[a-z][a-z0-9+.-]*:\/\/[^\s'"]+/gi;
const ONE_ADDRESS = /^[a-z][a-z0-9+.-]*:\/\//i;

/**
 * Removes passwords from URLs in a string, even unescaped ones, before it is printed or saved. A string that starts
 * like a URL is treated as a single URL.
 */
export function withoutPasswords(text: string): string {
  if (!text.includes("://")) return text;
  return ONE_ADDRESS.test(text) && !/\s-|\s\S*:\/\//.test(text)
    ? redacted(text)
    : text.replaceAll(ADDRESS, redacted);
}

function redacted(address: string): string {
  const start = address.indexOf("://") + "://".length;
  const [scheme, rest] = [address.slice(0, start), address.slice(start)];
  const parameter = secretParameter(rest);
  // An http URL may contain an @ in its path, and a database password may contain characters that would end a URL's
  // host.
  const isWeb = /^https?:/i.test(scheme) && URL.canParse(address);
  const credentials = isWeb ? /^[^/?#]*@/.exec(rest)?.[0].length : rest.lastIndexOf("@", parameter) + 1;
  if (credentials) return scheme + userOf(rest) + redactedQuery(rest.slice(credentials - 1));
  // The password itself may contain something that looks like a parameter.
  if (rest.includes("@", parameter) && !URL.canParse(scheme + rest.slice(0, parameter)))
    return `${scheme}${userOf(rest)}@…`;
  return scheme + redactedQuery(rest);
}

const userOf = (rest: string): string => rest.slice(0, rest.search(/[:@]/));

/** The start of the first parameter with a password, or the end of the string. */
function secretParameter(rest: string): number {
  for (const { index, 1: name } of rest.matchAll(/[?&]([^=&]*)=/g))
    if (SECRET.test(decoded(name!))) return index;
  return rest.length;
}

function redactedQuery(rest: string): string {
  const at = rest.indexOf("?");
  if (at < 0) return rest;
  const left = rest
    .slice(at + 1)
    .split("&")
    .filter((one) => !SECRET.test(decoded(one.split("=")[0]!)));
  return rest.slice(0, at) + (left.length > 0 ? `?${left.join("&")}` : "");
}

/** Decodes percent-encoding. Invalid encoding is returned unchanged. */
export const decoded = (text: string): string => unlessThrown(() => decodeURIComponent(text)) ?? text;
