import { isIP } from "node:net";
import { misuse } from "../errors/errors.ts";
import { isLoopback } from "../http/loopback.ts";
import type { Guest } from "../http/standing.ts";
import { clip } from "../http/violation-text.ts";
import { asThisMachine, withScheme } from "../runtime/http-url.ts";
import type { WebhookSettings } from "./context.ts";
import { invalidField, Refusal } from "./errors.ts";

/** A placeholder for the sandbox's own address in stored URLs, so that they stay valid on any port. */
const ORIGIN = "{origin}";
const MAX_URL_LENGTH = 2_048;

/**
 * Checks a subscriber's URL: https to any host, http to loopback and allow-listed hosts.
 * @param own the addresses of the sandbox itself, whose inboxes are always allowed
 * @returns the URL as stored
 * @throws Refusal invalid_field_value on url
 */
export function readEndpointUrl(text: string, settings: WebhookSettings, own: readonly string[]): string {
  const refuse = (reason: string, hint = "For example: http://127.0.0.1:3000/webhooks"): Refusal =>
    invalidField("url", `url ${reason}, not '${clip(text)}'.`, hint);
  const local = asThisMachine(text);
  const asLocal = () => refuse("must name this machine as 127.0.0.1", `Write ${local}`);
  if (text.length > MAX_URL_LENGTH) throw refuse(`must have at most ${MAX_URL_LENGTH} characters`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to reject
  if (/[\s\u0000-\u001f\u007f\\]/.test(text))
    throw refuse("must not contain spaces, backslashes or control characters");
  if (!/^https?:\/\/[^/?#]/i.test(text) || !URL.canParse(text))
    throw local ? asLocal() : refuse("must be an absolute URL: https, or http to this machine");
  const url = new URL(text);
  if (url.username !== "" || url.password !== "")
    throw invalidField("url", "url must not contain a user name or password; verify the signature instead.");
  url.hash = "";
  const origin = own.find((one) => url.href.startsWith(`${one}/`));
  if (origin !== undefined) return ORIGIN + url.href.slice(origin.length);
  if (
    url.protocol === "http:" &&
    !isLoopback(url.hostname) &&
    !settings.allowHttpHosts.includes(url.hostname)
  ) {
    if (local) throw asLocal();
    throw refuse(
      "must be https, or http to localhost, *.localhost, 127.0.0.0/8, [::1] or a host in webhooks.allowHttpHosts",
    );
  }
  return url.href;
}

/**
 * Like `readEndpointUrl`, for files: a path, such as `/_sandbox/inbox/shop`, belongs to the sandbox itself, and a URL without a
 * scheme is http.
 * @throws Refusal invalid_field_value on url
 */
export function readEndpointUrlOrPath(text: string, settings: WebhookSettings): string {
  if (!/^\/(?!\/)/.test(text)) return readEndpointUrl(withScheme(text), settings, []);
  const { pathname, search } = new URL(readEndpointUrl(`http://localhost${text}`, settings, []));
  return ORIGIN + pathname + search;
}

/** What is wrong with a URL in a file. @returns the end of "must be …", and a hint; undefined if it is valid */
export function urlProblem(
  text: string,
  settings: WebhookSettings,
): { expected: string; hint?: string } | undefined {
  try {
    readEndpointUrlOrPath(text, settings);
    return undefined;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const local = asThisMachine(withScheme(text));
    return {
      expected:
        "an https URL, http to this machine or to a host in webhooks.allowHttpHosts, or a path of the sandbox such as /_sandbox/inbox/shop",
      ...(local !== undefined && { hint: `Write ${local}` }),
    };
  }
}

/** A stored URL as files show it, without the sandbox's own address. */
export const urlOrPath = (stored: string): string => stored.replace(ORIGIN, "");

/** The URL to display and to call. */
export function expandUrl(stored: string, origin: string): string {
  return stored.startsWith(ORIGIN) ? origin + stored.slice(ORIGIN.length) : stored;
}

/** Whether the sandbox may connect to a URL: loopback and allow-listed hosts, unless the user allows all. */
export function mayConnect(url: string, settings: WebhookSettings): boolean {
  const { hostname } = new URL(url);
  return settings.allowExternal || isLoopback(hostname) || settings.allowHttpHosts.includes(hostname);
}

/**
 * Checks a URL that a caller asks Sandglass to call, by the same rule as webhooks.
 * @param field the field's name
 * @throws SandboxError `bad_request`
 */
export function checkReachable(field: string, url: string, settings: WebhookSettings): void {
  if (mayConnect(url, settings)) return;
  throw misuse(
    `${field} is ${url.slice(0, 100)}, which is not on this machine. The sandbox only sends to this machine.`,
    "Use a server on this machine, or allow its host in webhooks.allowHttpHosts.",
  );
}

/**
 * The only address that a new endpoint may reach; `null` for any. A guest's endpoint may reach the sandbox itself and the
 * guest's own address. Names are checked when they are resolved, at each connection.
 * @param url as `readEndpointUrl` returns it
 * @throws Refusal invalid_field_value on url, for another address
 */
export function confinementOf(
  url: string,
  guest: Guest | undefined,
  settings: WebhookSettings,
): string | null {
  if (!guest || url.startsWith(ORIGIN)) return null;
  const { hostname } = new URL(url);
  if (!guest.shared && settings.allowHttpHosts.includes(hostname)) return null;
  if (mayConnect(url, settings) && !isWithin(hostname, guest.address))
    throw invalidField(
      "url",
      `url must point to your own address${guest.address && ` (${guest.address})`} or to an inbox of the sandbox, not '${clip(url)}': the request comes from another machine${guest.shared ? ", without the token in X-Sandbox-Token" : ""}.`,
    );
  return guest.address;
}

/** Whether a host could be the only address that an endpoint may reach. Names are resolved when connecting. */
export function isWithin(hostname: string, address: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, "");
  return isIP(bare) === 0 ? !isLoopback(hostname) : bare === address;
}
