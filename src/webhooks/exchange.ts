import { Readable } from "node:stream";
import type { Agent, Dispatcher as UndiciDispatcher } from "undici";
import { encodeBody } from "../runtime/content-encoding.ts";
import { OWN_HEADERS } from "../runtime/own-requests.ts";
import { patientTimer, timersAreFake, wallNow, wallSleep } from "../world/clock.ts";
import { type Ending, explain, judge } from "./failures.ts";

/** The maximum number of bytes to store of a response body. */
const BODY_LIMIT = 16 * 1024;

/** The maximum length of a quoted body in the journal, in characters and bytes. */
const QUOTED_CHARACTERS = 200;
const QUOTED_BYTES = 4 * QUOTED_CHARACTERS;

/** An excerpt of a body for the journal; undefined if it is empty or not UTF-8. */
export function quoteBody(body: Buffer | null): string | undefined {
  if (body === null || body.length === 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body.subarray(0, QUOTED_BYTES), {
      stream: true,
    });
    if (text.length <= QUOTED_CHARACTERS) return text;
    // Do not end with half a surrogate pair.
    return `${text.slice(0, QUOTED_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  } catch {
    return undefined;
  }
}

/** The result of a request to a subscriber, with its response. */
export interface SendResult extends Ending {
  responseCode: number | null;
  responseHeaders: Record<string, string> | null;
  /** The start of the body, up to the request's `bodyLimit`. */
  responseBody: Buffer | null;
  /** The size of the whole body in bytes, as far as it was received. */
  responseSize: number | null;
  /** Real milliseconds. */
  durationMs: number;
}

/** The result of a request without a response. */
export const NO_ANSWER: SendResult = {
  error: null,
  detail: null,
  responseCode: null,
  responseHeaders: null,
  responseBody: null,
  responseSize: null,
  durationMs: 0,
};

export interface SendRequest {
  /** Requests in the same lane share a limit on open requests. */
  lane: string;
  /** `http://127.0.0.1:3000`, without a trailing slash. */
  origin: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /**
   * Rebuilds the headers of a request that is sent later, because a signature may contain the machine's time.
   * @param newSecret an additional secret whose signature comes first, as during a secret rotation
   */
  makeHeaders?: (newSecret?: string) => Record<string, string>;
  /** The body, or null. It is compressed before sending if the headers have a `Content-Encoding`. */
  body: string | null;
  /** Pauses the connection before this byte of the body, so that it arrives in two segments. */
  cutAt?: number | undefined;
  /** POST by default. */
  method?: "POST" | "GET";
  /** How many bytes of the response body to store, 16 KiB by default. The whole body is read. */
  bodyLimit?: number;
  /** The only address that the host may resolve to. */
  onlyTo?: string | undefined;
  /** Whether a response with this status is a success; 200 to 299 by default. */
  succeeds?: (status: number) => boolean;
  /** Whether to use a new connection and close it afterwards. */
  ownConnection?: boolean;
  /** Real milliseconds until the request times out; read when the request actually starts. */
  timeout: () => number;
}

/** A request in flight or waiting its turn. */
export interface Sending {
  /** Never rejects. */
  result: Promise<SendResult>;
  /** Limits the remaining time to `ms` real milliseconds. */
  hurry(ms: number): void;
}

/**
 * A request to a subscriber and its complete response, which undici reports to this object. Having one object per
 * attempt saves time, because a busy sandbox makes many.
 */
export class Exchange implements UndiciDispatcher.DispatchHandler {
  readonly message: SendRequest;
  readonly #ended = Promise.withResolvers<SendResult>();
  readonly result = this.#ended.promise;
  #leave = () => {};
  #controller: UndiciDispatcher.DispatchController | undefined;
  #startedAt: number | undefined;
  /** The real time at which the request times out. */
  #until = Number.POSITIVE_INFINITY;
  /** The time limit that applies once the request starts. */
  #allowed = Number.POSITIVE_INFINITY;
  #cancelTimer = () => {};
  #over = false;
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #seen: SendResult = { ...NO_ANSWER };

  constructor(message: SendRequest) {
    this.message = message;
  }

  /** Limits the remaining time to `ms`, counted from the start if the request is still waiting. */
  hurry(ms: number): void {
    this.#allowed = Math.min(this.#allowed, ms);
    if (this.#startedAt === undefined || this.#over || wallNow() + ms >= this.#until) return;
    this.#until = wallNow() + ms;
    this.#cancelTimer();
    this.#cancelTimer = patientTimer(ms, () => this.#expire());
  }

  /** Starts the request's time limit, which covers connecting and waiting for earlier requests. */
  start(): void {
    this.#startedAt = wallNow();
    // A request whose world ended while it waited is not sent.
    if (this.#allowed <= 0) this.#expire();
    else this.hurry(Math.min(this.#allowed, this.message.timeout()));
  }

  /** Sends the request, unless its time has run out. Resolves once it is written or has ended. */
  send(agent: Agent): Promise<void> {
    if (this.#over) return Promise.resolve();
    const { origin, path, method = "POST", headers, cutAt, ownConnection } = this.message;
    const body = encodeBody(this.message.body, headers);
    const reset = ownConnection || timersAreFake();
    return new Promise((resolve) => {
      this.#leave = resolve;
      // These headers let a sandbox recognize requests from another sandbox.
      const own = { ...headers, ...OWN_HEADERS };
      const sent =
        cutAt === undefined || body === null ? { headers: own, body } : inSegments(own, body, cutAt);
      agent.dispatch({ origin, path, method, ...sent, reset }, this);
    });
  }

  /** Ends the request unsent because the transport could not be loaded. */
  fail({ message }: Error): void {
    this.#startedAt = wallNow();
    this.#end({ error: "connection_refused", detail: `was not called: ${message}` });
  }

  onRequestStart(controller: UndiciDispatcher.DispatchController): void {
    // undici writes the request immediately after this returns, before any promise continues.
    this.#leave();
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
    const room = (this.message.bodyLimit ?? BODY_LIMIT) - this.#size;
    if (room > 0) this.#chunks.push(Buffer.from(chunk.subarray(0, room)));
    this.#size += chunk.length;
  }

  onResponseEnd(): void {
    this.#end(judge(this.#seen.responseCode!, this.#seen.responseHeaders!.location, this.message.succeeds));
  }

  onResponseError(_controller: UndiciDispatcher.DispatchController, error: Error): void {
    this.#end(explain(error, this.#seen.responseCode, this.#seen.responseHeaders));
  }

  #expire(): void {
    this.#end({ error: "timeout", detail: null });
    this.#controller?.abort(new Error("Timed out"));
  }

  #end({ error, detail }: Ending): void {
    if (this.#over) return;
    this.#over = true;
    this.#cancelTimer();
    const result = this.#seen;
    if (result.responseCode !== null) {
      result.responseBody = this.#chunks.length === 1 ? this.#chunks[0]! : Buffer.concat(this.#chunks);
      result.responseSize = this.#size;
    }
    result.durationMs = wallNow() - this.#startedAt!;
    result.error = error;
    result.detail = detail;
    this.#ended.resolve(result);
    this.#leave();
  }
}

/** The pause between two segments, in turns of the event loop. A server in this process can act in each turn. */
const PAUSE_STEPS = 5;
const PAUSE_STEP_MS = 10;

/** A body written in two parts. Its length is known, so undici does not use chunked encoding. */
function inSegments(headers: Record<string, string>, body: string | Buffer, cutAt: number) {
  const bytes = Buffer.from(body as string);
  async function* segments() {
    yield bytes.subarray(0, cutAt);
    for (let step = 0; step < PAUSE_STEPS; step += 1) await wallSleep(PAUSE_STEP_MS);
    yield bytes.subarray(cutAt);
  }
  return { headers: { ...headers, "content-length": String(bytes.length) }, body: Readable.from(segments()) };
}

/** Flattens a response's headers to one string each. Cookies are left out and never stored. */
function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (name !== "set-cookie") flat[name] = typeof value === "string" ? value : [value].flat().join(", ");
  return flat;
}
