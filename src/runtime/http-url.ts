import { misuse } from "../errors/errors.ts";
import { withoutPasswords } from "./redact.ts";

const MOST_PORT = 65_535;

/** A bare port number, which URL parsing would read as an IP address: `3000` becomes 0.0.11.184. */
const BARE_PORT = /^(?:https?:\/\/)?:?(\d{1,5})(?=$|[/?#])/i;
/**
 * Hosts that stand for this machine but do not work as a target: addresses that mean all network interfaces, and names
 * that not every system resolves.
 */
const AS_OTHER_NAME =
  /^(?:0\.0\.0\.0|\[::\]|\[::ffff:(?:0:0|7f[0-9a-f]{2}:[0-9a-f]{1,4})\]|(?:.*\.)?localhost\.)$/;

/** Suggests a supported URL if the text probably refers to this machine. */
export function asThisMachine(text: string): string | undefined {
  const bare = BARE_PORT.exec(text);
  if (bare) return `http://127.0.0.1:${bare[1]}${text.slice(bare[0].length)}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !AS_OTHER_NAME.test(url.hostname)) return undefined;
  url.hostname = "127.0.0.1";
  return url.href;
}

/** Adds http:// to a URL that has no scheme, such as localhost:3000. */
export const withScheme = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !/^[\w[]/.test(text) || BARE_PORT.test(text)
    ? text
    : `http://${text}`;

/** Whether a string is a URL rather than a shell command: `http://…`, or `localhost:3000/reset`. */
export const isAddress = (text: string): boolean =>
  /^(?:https?:\/\/|(?:localhost|127\.0\.0\.1|\[::1\]):\d+(?:\/\S*)?$)/i.test(text);

/**
 * Reads an http or https URL. Without a scheme, as in localhost:3000, http is assumed.
 * @throws SandboxError `bad_request`
 */
export function readHttpUrl(text: string, source: string): string {
  if (BARE_PORT.test(text))
    throw misuse(
      `${source} must be an http address, not the port '${text}'.`,
      `Write ${asThisMachine(text)}.`,
    );
  const url = withScheme(text);
  const port = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(url)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > MOST_PORT))
    throw misuse(
      `${source} must have a port from 1 to ${MOST_PORT}, not ${port}.`,
      "Use an address such as http://127.0.0.1:3000 or localhost:3000.",
    );
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw misuse(
    // Leave out the part after #, which may be a token.
    `${source} must be an http address, not '${withoutPasswords(text).split("#")[0]}'.`,
    "Use an address such as http://127.0.0.1:3000 or localhost:3000.",
  );
}
