import { formatDuration } from "../timeline/duration.ts";
import type { DeliveryError } from "../timeline/shapes.ts";

/** How a request to a subscriber ended. */
export interface Ending {
  /** Why the request failed; null for a 2xx response that was read to the end. */
  error: DeliveryError | null;
  /**
   * What the subscriber did, as the end of a sentence: `returned 503`. Null for a success, and for a timeout, whose
   * limit only the sender knows.
   */
  detail: string | null;
}

export const isSuccess = (status: number): boolean => status >= 200 && status <= 299;

/** Whether a complete response is a success. Redirects are not followed. @param succeeds the sender's rule */
export function judge(status: number, location?: string, succeeds = isSuccess): Ending {
  if (succeeds(status)) return { error: null, detail: null };
  const isRedirect = status >= 300 && status <= 399;
  const to = isRedirect && location ? ` to ${location.slice(0, 200)}` : "";
  return { error: isRedirect ? "redirect" : "status", detail: `returned ${status}${to}` };
}

/** The maximum size of a response's headers. */
export const MAX_HEADER_BYTES = 16 * 1024;

const INVALID_STATUS = "ERR_INVALID_STATUS";

/** The error for an invalid status; undefined for a valid one. Requests never ask for an upgrade. */
export function statusError(status: number): Error | undefined {
  const flaw =
    status === 101
      ? "101 Switching Protocols, which the request did not ask for"
      : status < 100 && `${String(status).padStart(3, "0")}, which is not an HTTP status`;
  return flaw ? Object.assign(new Error(`returned ${flaw}`), { code: INVALID_STATUS }) : undefined;
}

const RESET = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);
/** Errors that mean a response body was cut short. */
const CUT = new Set([...RESET, "UND_ERR_RES_CONTENT_LENGTH_MISMATCH"]);
/** The error code of connections that the sandbox refuses to open. */
export const BLOCKED = "ERR_BLOCKED";
const UNREACHABLE = new Set(["EHOSTUNREACH", "ENETUNREACH", "EADDRNOTAVAIL", "EACCES", "EHOSTDOWN"]);
const DNS = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);
/** The codes of undici and Node for headers that are too large. */
const OVERFLOW = new Set(["UND_ERR_HEADERS_OVERFLOW", "HPE_HEADER_OVERFLOW"]);
/** The parser's message for data that does not start like an HTTP response. */
const NO_HTTP = /^Expected HTTP\//;
const TLS = /^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/;

/** What the subscriber did, for each error code. The system's error code is appended. */
export const FAILURE_WORDS = {
  refused: "refused the connection",
  unreachable: "cannot be reached from here",
  reset: "closed the connection without a response",
  dns: "has a host name that does not resolve",
  tls: "does not make a trusted TLS connection",
  garbage: "responded with something that is not HTTP",
  invalid: "responded with invalid HTTP",
} as const;

/** Describes how a failed connection ended. @param headers the response's headers, if it had started */
export function explain(
  error: Error & { code?: string },
  status: number | null = null,
  headers: Record<string, string> | null = null,
): Ending {
  const { code = "" } = error;
  // Undici and Node wrap their common parser's message in sentences of their own.
  const message = error.message
    .replace(/^Parse Error: |^Response does not match the HTTP\/1\.1 protocol \((.*)\)$/s, "$1")
    .slice(0, 200);
  const ending = (kind: DeliveryError, words: keyof typeof FAILURE_WORDS, why = code): Ending => ({
    error: kind,
    detail: `${FAILURE_WORDS[words]}${why ? ` (${why})` : ""}`,
  });
  const flaw = (): string => {
    if (!CUT.has(code)) return `its body is not valid HTTP (${message})`;
    // A response with neither a length nor chunks ends when the connection closes.
    const end = headers?.["content-length"] === undefined ? "its last chunk" : "the length in Content-Length";
    return `the response ended before ${end}`;
  };
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return { error: "timeout", detail: null };
  if (code === BLOCKED) return { error: "blocked_by_network_policy", detail: error.message };
  if (code === INVALID_STATUS) return { error: "invalid_response", detail: message };
  if (headers !== null) return { error: "invalid_response", detail: `returned ${status}, but ${flaw()}` };
  if (RESET.has(code)) return ending("connection_reset", "reset");
  if (code === "ECONNREFUSED") return ending("connection_refused", "refused");
  if (UNREACHABLE.has(code)) return ending("connection_refused", "unreachable");
  if (DNS.has(code)) return ending("dns", "dns");
  if (TLS.test(code)) return ending("tls", "tls");
  if (OVERFLOW.has(code))
    return {
      error: "invalid_response",
      detail: `responded with more than ${MAX_HEADER_BYTES / 1024} KiB of headers`,
    };
  return ending("invalid_response", NO_HTTP.test(message) ? "garbage" : "invalid", message);
}

/** Describes a timeout. @param status the response's status, if it had started */
export function unanswered(status: number | null, timeout: number): string {
  const within = formatDuration(timeout);
  return status === null
    ? `did not respond within ${within}`
    : `returned ${status}, but did not finish the response within ${within}`;
}

/** Why a guest's endpoint gets no request. */
export const notOwnAddress = (host: string): string =>
  `${host} is not the address of the machine that registered the endpoint without the sandbox's token. Register it with the token, on the sandbox's own machine or in the configuration.`;

const RULES: Partial<Record<DeliveryError, string>> = {
  status: "; a delivery succeeds with 200 to 299",
  redirect: "; redirects are not followed",
};

/** Describes what the subscriber did, and the rule that it broke, in one sentence. */
export const failureSentence = (error: DeliveryError, detail: string): string =>
  `${detail.charAt(0).toUpperCase()}${detail.slice(1)}${RULES[error] ?? ""}.`;
