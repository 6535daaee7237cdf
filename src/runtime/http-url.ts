import { misuse } from "../errors/errors.ts";
import { withoutPasswords } from "./redact.ts";

const MOST_PORT = 65_535;

/** A bare port, which URL parsing treats as an address: `3000` is 0.0.11.184. */
const BARE_PORT = /^(?:https?:\/\/)?:?(\d{1,5})(?=$|[/?#])/i;
/** Names of this machine that mean all of its addresses, or that not every program resolves. */
const AS_OTHER_NAME =
  /^(?:0\.0\.0\.0|\[::\]|\[::ffff:(?:0:0|7f[0-9a-f]{2}:[0-9a-f]{1,4})\]|(?:.*\.)?localhost\.)$/;

/** How to write an address that probably means this machine, but names it in an unsupported way. */
export function asThisMachine(text: string): string | undefined {
  const bare = BARE_PORT.exec(text);
  if (bare) return `http://127.0.0.1:${bare[1]}${text.slice(bare[0].length)}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !AS_OTHER_NAME.test(url.hostname)) return undefined;
  url.hostname = "127.0.0.1";
  return url.href;
}

/** An address without a scheme, such as localhost:3000, with http. */
export const withScheme = (text: string): string =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(text) || !/^[\w[]/.test(text) || BARE_PORT.test(text)
    ? text
    : `http://${text}`;

/** Whether a text is an address and no shell command: `http://…`, or `localhost:3000/reset`. */
export const isAddress = (text: string): boolean =>
  /^(?:https?:\/\/|(?:localhost|127\.0\.0\.1|\[::1\]):\d+(?:\/\S*)?$)/i.test(text);

/**
 * An http or https address; one without a scheme, such as localhost:3000, is taken as http.
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
      "Write it like http://127.0.0.1:3000 or localhost:3000.",
    );
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw misuse(
    // The part after # may be a token.
    `${source} must be an http address, not '${withoutPasswords(text).split("#")[0]}'.`,
    "Write it like http://127.0.0.1:3000 or localhost:3000.",
  );
}
