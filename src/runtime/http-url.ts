import { misuse } from "../errors/errors.ts";
import { withoutPasswords } from "./redact.ts";

const MOST_PORT = 65_535;

/**
 * An http or https address; one without a scheme, such as localhost:3000, is taken as http.
 * @throws SandboxError `bad_request`
 */
export function readHttpUrl(text: string, source: string): string {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`;
  const port = /^https?:\/\/[^/?#]*:(\d+)(?:[/?#]|$)/i.exec(url)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > MOST_PORT))
    throw misuse(
      `${source} must have a port from 1 to ${MOST_PORT}, not ${port}.`,
      "Write it like http://127.0.0.1:3000 or localhost:3000.",
    );
  if (URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)) return url;
  throw misuse(
    // What follows # may be a token.
    `${source} must be an http address, not '${withoutPasswords(text).split("#")[0]}'.`,
    "Write it like http://127.0.0.1:3000 or localhost:3000.",
  );
}
