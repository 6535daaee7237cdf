import type { LookupFunction } from "node:net";
import type { Agent, Dispatcher as UndiciDispatcher } from "undici";
import { wallNow, wallTimer } from "../../world/clock.ts";

/** How much of an answer's body is kept. */
export const KEPT_BODY_BYTES = 16 * 1024;
/** Requests open at once for one endpoint; more wait, so that one slow subscriber holds up no other. */
const OPEN_PER_ENDPOINT = 64;
/** Idle connections are closed before common servers close them, so that no attempt meets a dead one. */
const KEEP_ALIVE_MS = 1_000;

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
  /** One sentence for people. */
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
  url: string;
  headers: Record<string, string>;
  body: string;
  /** Real milliseconds until it counts as timed out; read when the request really starts. */
  timeout: () => number;
}

export interface Sending {
  /** Never rejects. */
  result: Promise<SendResult>;
  /** Gives it at most `ms` more. */
  hurry(ms: number): void;
}

/** Sends real HTTP requests to subscribers, through an agent of its own that nothing patches. */
export function createDispatcher() {
  let agent: Agent | undefined;
  const lanes = new Map<string, { open: number; waiting: (() => void)[] }>();

  async function connect() {
    const { Agent, request } = await import("undici");
    agent ??= new Agent({
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: 0, lookup },
    });
    return { agent, request };
  }
  let ready: ReturnType<typeof connect> | undefined;

  async function enter(lane: string): Promise<() => void> {
    let state = lanes.get(lane);
    if (!state) {
      state = { open: 0, waiting: [] };
      lanes.set(lane, state);
    }
    if (state.open >= OPEN_PER_ENDPOINT)
      await new Promise<void>((resolve) => void state.waiting.push(resolve));
    else state.open += 1;
    return () => {
      const next = state.waiting.shift();
      if (next) next();
      else state.open -= 1;
      if (state.open === 0) lanes.delete(lane);
    };
  }

  function send(message: SendRequest): Sending {
    const abort = new AbortController();
    let deadline = Number.POSITIVE_INFINITY;
    let pendingHurry = Number.POSITIVE_INFINITY;
    let cancel = () => {};
    let running = false;

    function limit(ms: number): void {
      const until = wallNow() + ms;
      if (until >= deadline) return;
      deadline = until;
      cancel();
      cancel = wallTimer(ms, () => abort.abort());
    }

    async function run(): Promise<SendResult> {
      const leave = await enter(message.lane);
      ready ??= connect();
      const { agent: dispatcher, request } = await ready;
      running = true;
      limit(Math.min(message.timeout(), pendingHurry));
      try {
        return await exchange(request, dispatcher, message, abort.signal);
      } finally {
        cancel();
        leave();
      }
    }

    return {
      result: run(),
      hurry(ms) {
        if (running) limit(ms);
        else pendingHurry = Math.min(pendingHurry, ms);
      },
    };
  }

  return {
    send,
    close: (): void => void agent?.destroy().catch(() => undefined),
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

type Request = typeof import("undici").request;

async function exchange(
  request: Request,
  dispatcher: UndiciDispatcher,
  message: SendRequest,
  signal: AbortSignal,
): Promise<SendResult> {
  const startedAt = wallNow();
  const result: SendResult = {
    error: null,
    detail: null,
    responseCode: null,
    responseHeaders: null,
    responseBody: null,
    responseSize: null,
    durationMs: 0,
  };
  try {
    const response = await request(message.url, {
      method: "POST",
      headers: message.headers,
      body: message.body,
      dispatcher,
      signal,
    });
    result.responseCode = response.statusCode;
    result.responseHeaders = flatten(response.headers);
    const kept: Buffer[] = [];
    let size = 0;
    const keep = () => {
      result.responseBody = Buffer.concat(kept);
      result.responseSize = size;
    };
    try {
      for await (const chunk of response.body as AsyncIterable<Buffer>) {
        if (size < KEPT_BODY_BYTES) kept.push(chunk.subarray(0, KEPT_BODY_BYTES - size));
        size += chunk.length;
      }
    } finally {
      keep();
    }
    Object.assign(result, judge(response.statusCode, result.responseHeaders.location));
  } catch (error) {
    Object.assign(result, classify(error, signal.aborted, result));
  }
  result.durationMs = wallNow() - startedAt;
  return result;
}

/** Whether a complete answer is a success. Contract: 2xx; redirects are not followed. */
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

function classify(error: unknown, aborted: boolean, seen: SendResult): Pick<SendResult, "error" | "detail"> {
  const { code = "", message } = error as Error & { code?: string };
  if (aborted || code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") {
    const stage = seen.responseCode === null ? "no answer" : "an answer that did not end";
    return { error: "timeout", detail: `There was ${stage} within 30 seconds.` };
  }
  const text = (kind: string) => `${kind}${code ? ` (${code})` : ""}: ${message}`;
  if (seen.responseHeaders?.["content-length"] !== undefined && code === "UND_ERR_SOCKET") {
    return {
      error: "invalid_response",
      detail: "The answer ended before the length that Content-Length names.",
    };
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
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, [value].flat().join(", ")]),
  );
}

/** Every name under localhost is this machine, whatever the system's resolver thinks. */
const lookup: LookupFunction = (hostname, options, callback) => {
  if (hostname === "localhost" || hostname.endsWith(".localhost")) {
    const addresses = [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
    ];
    if (options.all) callback(null, addresses);
    else callback(null, addresses[0]!.address, addresses[0]!.family);
    return;
  }
  void import("node:dns").then((dns) => dns.lookup(hostname, options, callback));
};
