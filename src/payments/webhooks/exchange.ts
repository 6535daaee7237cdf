import type { Agent, Dispatcher as UndiciDispatcher } from "undici";
import { timersAreFake, wallNow, wallTimer } from "../../world/clock.ts";

/** How much of an answer's body is kept. */
export const KEPT_BODY_BYTES = 16 * 1024;

/** How much of it the journal quotes, in characters, and how many bytes those are at most. */
const QUOTED_CHARACTERS = 200;
const QUOTED_BYTES = 4 * QUOTED_CHARACTERS;

/** The start of a body, for the journal; undefined where it is empty or not UTF-8. */
export function quoteBody(body: Buffer | null): string | undefined {
  if (body === null || body.length === 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body.subarray(0, QUOTED_BYTES), {
      stream: true,
    });
    if (text.length <= QUOTED_CHARACTERS) return text;
    // Half of a pair at the end is not a character.
    return `${text.slice(0, QUOTED_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  } catch {
    return undefined;
  }
}

export const DELIVERY_ERRORS = [
  "status",
  "timeout",
  "connection_refused",
  "connection_reset",
  "dns",
  "tls",
  "redirect",
  "invalid_response",
  "blocked_by_network_policy",
  "endpoint_deleted",
] as const;
export type DeliveryError = (typeof DELIVERY_ERRORS)[number];

/** What became of one request to a subscriber. */
export interface SendResult {
  /** Why it counts as failed; null for a 2xx answer that was read to its end. */
  error: DeliveryError | null;
  /** One sentence for people; null for a time-out, whose limit the sender knows. */
  detail: string | null;
  responseCode: number | null;
  responseHeaders: Record<string, string> | null;
  /** The first 16 KiB. */
  responseBody: Buffer | null;
  /** Bytes of the whole body, as far as it was read. */
  responseSize: number | null;
  /** Real milliseconds. */
  durationMs: number;
}

export interface SendRequest {
  /** Requests with the same lane share a limit. */
  lane: string;
  /** `http://127.0.0.1:3000`, without a trailing slash. */
  origin: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  body: string;
  /** Real milliseconds until it counts as timed out; read when the request really starts. */
  timeout: () => number;
}

/**
 * One request to a subscriber and its whole answer: what undici tells of it comes in here. One object for each
 * attempt, as a busy sandbox makes many.
 */
export class Exchange implements UndiciDispatcher.DispatchHandler {
  /** Never rejects. */
  readonly result: Promise<SendResult>;
  readonly #message: SendRequest;
  #resolve!: (result: SendResult) => void;
  #controller: UndiciDispatcher.DispatchController | undefined;
  #startedAt: number | undefined;
  /** Real time at which it counts as timed out. */
  #until = Number.POSITIVE_INFINITY;
  /** The most real time it may have once it starts. */
  #allowed = Number.POSITIVE_INFINITY;
  #cancelTimer = () => {};
  #over = false;
  #kept: Buffer[] = [];
  #size = 0;
  readonly #seen: SendResult = {
    error: null,
    detail: null,
    responseCode: null,
    responseHeaders: null,
    responseBody: null,
    responseSize: null,
    durationMs: 0,
  };

  constructor(message: SendRequest) {
    this.#message = message;
    this.result = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  get lane(): string {
    return this.#message.lane;
  }

  get origin(): string {
    return this.#message.origin;
  }

  /** Gives it at most `ms` more; while it waits to start, at most `ms` from then. */
  hurry(ms: number): void {
    this.#allowed = Math.min(this.#allowed, ms);
    if (this.#startedAt === undefined || this.#over || wallNow() + ms >= this.#until) return;
    this.#until = wallNow() + ms;
    this.#cancelTimer();
    this.#cancelTimer = wallTimer(ms, () => this.#expire());
  }

  start(agent: Agent): void {
    const { origin, path, headers, body, timeout } = this.#message;
    this.#startedAt = wallNow();
    this.hurry(timeout());
    agent.dispatch({ origin, path, method: "POST", headers, body, reset: timersAreFake() }, this);
  }

  onRequestStart(controller: UndiciDispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(new Error("Timed out"));
  }

  onResponseStart(
    _controller: UndiciDispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ): void {
    if (status < 200) return;
    this.#seen.responseCode = status;
    this.#seen.responseHeaders = flatten(headers);
  }

  onResponseData(_controller: UndiciDispatcher.DispatchController, chunk: Buffer): void {
    const room = KEPT_BODY_BYTES - this.#size;
    if (room > 0) this.#kept.push(Buffer.from(chunk.subarray(0, room)));
    this.#size += chunk.length;
  }

  onResponseEnd(): void {
    this.#end(judge(this.#seen.responseCode!, this.#seen.responseHeaders!.location));
  }

  onResponseError(_controller: UndiciDispatcher.DispatchController, error: Error): void {
    this.#end(classify(error, this.#seen));
  }

  #expire(): void {
    this.#end(TIMED_OUT);
    this.#controller?.abort(new Error("Timed out"));
  }

  #end({ error, detail }: Pick<SendResult, "error" | "detail">): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelTimer();
    const result = this.#seen;
    if (result.responseCode !== null) {
      result.responseBody = this.#kept.length === 1 ? this.#kept[0]! : Buffer.concat(this.#kept);
      result.responseSize = this.#size;
    }
    result.durationMs = wallNow() - this.#startedAt!;
    result.error = error;
    result.detail = detail;
    this.#resolve(result);
  }
}

/** Whether a complete answer is a success: a 2xx. Redirects are not followed. */
export function judge(status: number, location?: string): Pick<SendResult, "error" | "detail"> {
  if (status >= 200 && status <= 299) return { error: null, detail: null };
  if (status >= 300 && status <= 399) {
    return {
      error: "redirect",
      detail: `Answered ${status}${location ? ` to ${location.slice(0, 200)}` : ""}; redirects are not followed.`,
    };
  }
  return { error: "status", detail: `Answered ${status}; a delivery succeeds with 200 to 299.` };
}

const RESET = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);
const REFUSED = new Set([
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "EADDRNOTAVAIL",
  "EACCES",
  "EHOSTDOWN",
]);
const DNS = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);

const TIMED_OUT = { error: "timeout", detail: null } as const;

function classify(error: unknown, seen: SendResult): Pick<SendResult, "error" | "detail"> {
  const { code = "", message } = error as Error & { code?: string };
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return TIMED_OUT;
  const text = (kind: string) => `${kind}${code ? ` (${code})` : ""}: ${message}`;
  // Cut within its body: one with neither a length nor chunks would have ended with the connection.
  if (seen.responseHeaders !== null && RESET.has(code)) {
    const end =
      seen.responseHeaders["content-length"] === undefined
        ? "its last chunk"
        : "the length that Content-Length names";
    return { error: "invalid_response", detail: `The answer ended before ${end}.` };
  }
  if (RESET.has(code)) return { error: "connection_reset", detail: text("The connection was closed") };
  if (REFUSED.has(code))
    return { error: "connection_refused", detail: text("Nothing accepts connections there") };
  if (DNS.has(code)) return { error: "dns", detail: text("The host name does not resolve") };
  if (/^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code)) {
    return { error: "tls", detail: text("The TLS connection failed") };
  }
  return { error: "invalid_response", detail: text("The answer is not valid HTTP") };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    flat[name] = typeof value === "string" ? value : [value].flat().join(", ");
  return flat;
}
