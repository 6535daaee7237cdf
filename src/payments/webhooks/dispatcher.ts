import type { LookupFunction } from "node:net";
import type { Agent, Dispatcher as UndiciDispatcher } from "undici";
import { wallNow, wallTimer } from "../../world/clock.ts";

/** How much of an answer's body is kept. */
export const KEPT_BODY_BYTES = 16 * 1024;
/** Requests open at once for one endpoint; more wait, so that one slow subscriber holds up no other. */
const OPEN_PER_ENDPOINT = 64;
/** Idle connections are closed before common servers close them, so that no attempt meets a dead one. */
const KEEP_ALIVE_MS = 1_000;
const CONNECT_TIMEOUT_MS = 30_000;

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

export interface Sending {
  /** Never rejects. */
  result: Promise<SendResult>;
  /** Gives it at most `ms` more. */
  hurry(ms: number): void;
}

/** Sends real HTTP requests to subscribers, through an agent of its own that nothing patches. */
export function createDispatcher() {
  let agent: Agent | undefined;
  let loading: Promise<Agent> | undefined;
  const lanes = new Map<string, { open: number; waiting: (() => void)[] }>();

  /** undici is loaded at the first request: start-up does not wait for it. */
  async function load(): Promise<Agent> {
    const { Agent } = await import("undici");
    agent = new Agent({
      keepAliveTimeout: KEEP_ALIVE_MS,
      keepAliveMaxTimeout: KEEP_ALIVE_MS,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, lookup },
    });
    return agent;
  }

  /** Takes a place in the lane, or waits for one. Every `enter` is followed by a `leave`. */
  function enter(name: string): Promise<void> | undefined {
    let lane = lanes.get(name);
    if (!lane) {
      lane = { open: 0, waiting: [] };
      lanes.set(name, lane);
    }
    if (lane.open < OPEN_PER_ENDPOINT) {
      lane.open += 1;
      return undefined;
    }
    return new Promise((resolve) => void lane.waiting.push(resolve));
  }

  function leave(name: string): void {
    const lane = lanes.get(name)!;
    const next = lane.waiting.shift();
    if (next) next();
    else lane.open -= 1;
    if (lane.open === 0) lanes.delete(name);
  }

  async function run(message: SendRequest, limit: Deadline): Promise<SendResult> {
    await enter(message.lane);
    try {
      loading ??= load();
      return await exchange(agent ?? (await loading), message, limit);
    } finally {
      limit.cancel();
      leave(message.lane);
    }
  }

  return {
    send(message: SendRequest): Sending {
      const limit = createDeadline();
      return { result: run(message, limit), hurry: limit.atMost };
    },
    close: (): void => void agent?.destroy().catch(() => undefined),
  };
}

export type Dispatcher = ReturnType<typeof createDispatcher>;

/** The real time that a request has left. It can only get less. */
interface Deadline {
  atMost(ms: number): void;
  /** From now on `expire` is called when the time is over. */
  begin(ms: number, expire: () => void): void;
  cancel(): void;
}

function createDeadline(): Deadline {
  let until = Number.POSITIVE_INFINITY;
  let allowed = Number.POSITIVE_INFINITY;
  let expire: (() => void) | undefined;
  let cancel = () => {};

  function atMost(ms: number): void {
    allowed = Math.min(allowed, ms);
    if (!expire || wallNow() + ms >= until) return;
    until = wallNow() + ms;
    cancel();
    cancel = wallTimer(ms, expire);
  }

  return {
    atMost,
    begin(ms, whenOver) {
      expire = whenOver;
      atMost(Math.min(ms, allowed));
    },
    cancel: () => cancel(),
  };
}

/** One request and its whole answer. Never rejects. */
function exchange(agent: Agent, message: SendRequest, limit: Deadline): Promise<SendResult> {
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
  const kept: Buffer[] = [];
  let size = 0;

  return new Promise((resolve) => {
    let controller: UndiciDispatcher.DispatchController | undefined;
    let over = false;
    const end = (verdict: Pick<SendResult, "error" | "detail">) => {
      if (over) return;
      over = true;
      if (result.responseCode !== null) {
        result.responseBody = kept.length === 1 ? kept[0]! : Buffer.concat(kept);
        result.responseSize = size;
      }
      result.durationMs = wallNow() - startedAt;
      resolve(Object.assign(result, verdict));
    };
    limit.begin(message.timeout(), () => {
      end(TIMED_OUT);
      controller?.abort(new Error("Timed out"));
    });
    agent.dispatch(
      {
        origin: message.origin,
        path: message.path,
        method: "POST",
        headers: message.headers,
        body: message.body,
      },
      {
        onRequestStart(given) {
          controller = given;
          if (over) given.abort(new Error("Timed out"));
        },
        onResponseStart(_controller, statusCode, headers) {
          if (statusCode < 200) return;
          result.responseCode = statusCode;
          result.responseHeaders = flatten(headers);
        },
        onResponseData(_controller, chunk) {
          if (size < KEPT_BODY_BYTES) kept.push(Buffer.from(chunk.subarray(0, KEPT_BODY_BYTES - size)));
          size += chunk.length;
        },
        onResponseEnd: () => end(judge(result.responseCode!, result.responseHeaders!.location)),
        onResponseError: (_controller, error) => end(classify(error, result)),
      },
    );
  });
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

const TIMED_OUT = { error: "timeout", detail: null } as const;

function classify(error: unknown, seen: SendResult): Pick<SendResult, "error" | "detail"> {
  const { code = "", message } = error as Error & { code?: string };
  if (code === "ETIMEDOUT" || code === "UND_ERR_CONNECT_TIMEOUT") return TIMED_OUT;
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
