import { Readable } from "node:stream";
import type { Agent, Dispatcher as UndiciDispatcher } from "undici";
import { encodeBody } from "../runtime/content-encoding.ts";
import { OWN_HEADERS } from "../runtime/own-requests.ts";
import { patientTimer, timersAreFake, wallNow, wallSleep } from "../world/clock.ts";
import { type Ending, explain, judge } from "./failures.ts";

/** The most bytes of an answer's body that are stored. */
const BODY_LIMIT = 16 * 1024;

/** The most characters of a body in the journal, and the most bytes of these. */
const QUOTED_CHARACTERS = 200;
const QUOTED_BYTES = 4 * QUOTED_CHARACTERS;

/** The start of a body, for the journal; undefined if it is empty or not UTF-8. */
export function quoteBody(body: Buffer | null): string | undefined {
  if (body === null || body.length === 0) return undefined;
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(body.subarray(0, QUOTED_BYTES), {
      stream: true,
    });
    if (text.length <= QUOTED_CHARACTERS) return text;
    // Half a surrogate pair at the end is not a character.
    return `${text.slice(0, QUOTED_CHARACTERS - 1).replace(/[\ud800-\udbff]$/, "")}…`;
  } catch {
    return undefined;
  }
}

/** The result of one request to a subscriber, with its answer. */
export interface SendResult extends Ending {
  responseCode: number | null;
  responseHeaders: Record<string, string> | null;
  /** The start of the body, up to the request's `bodyLimit`. */
  responseBody: Buffer | null;
  /** Bytes of the whole body, as far as it was received. */
  responseSize: number | null;
  /** Real milliseconds. */
  durationMs: number;
}

/** The result of a request that got no answer. */
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
  /** Requests with the same lane share a limit on open requests. */
  lane: string;
  /** `http://127.0.0.1:3000`, without a trailing slash. */
  origin: string;
  /** Path and query. */
  path: string;
  headers: Record<string, string>;
  /**
   * Makes the headers again for a request that is sent later, as a signature may contain the machine's time.
   * @param newSecret signs in addition to the endpoint's own secret, and first, as while a secret is replaced
   */
  makeHeaders?: (newSecret?: string) => Record<string, string>;
  /** The body; null for a request without a body. A `Content-Encoding` of its headers compresses it on the way. */
  body: string | null;
  /** The byte of the body before which the connection pauses, so that it arrives in two segments. */
  cutAt?: number | undefined;
  /** POST by default. */
  method?: "POST" | "GET";
  /** How many bytes of the answer's body are stored, by default 16 KiB. The whole body is read. */
  bodyLimit?: number;
  /** The one address that the host may resolve to. */
  onlyTo?: string | undefined;
  /** Whether an answer with this status is a success; 200 to 299 by default. */
  succeeds?: (status: number) => boolean;
  /** Whether to use a new connection, which is closed afterwards. */
  ownConnection?: boolean;
  /** Real milliseconds until the request times out; read when the request really starts. */
  timeout: () => number;
}

/** A request that is being sent, or waits for its turn. */
export interface Sending {
  /** Never rejects. */
  result: Promise<SendResult>;
  /** Gives the request at most `ms` more real milliseconds. */
  hurry(ms: number): void;
}

/**
 * A request to a subscriber with its whole answer, which undici reports to this object. One object for each attempt saves time,
 * as a busy sandbox makes many.
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
  /** The most real time that the request gets once it starts. */
  #allowed = Number.POSITIVE_INFINITY;
  #cancelTimer = () => {};
  #over = false;
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #seen: SendResult = { ...NO_ANSWER };

  constructor(message: SendRequest) {
    this.message = message;
  }

  /** Gives the request at most `ms` more; while it waits to start, at most `ms` from its start. */
  hurry(ms: number): void {
    this.#allowed = Math.min(this.#allowed, ms);
    if (this.#startedAt === undefined || this.#over || wallNow() + ms >= this.#until) return;
    this.#until = wallNow() + ms;
    this.#cancelTimer();
    this.#cancelTimer = patientTimer(ms, () => this.#expire());
  }

  /** Starts the request's time, which includes connecting and waiting for earlier requests. */
  start(): void {
    this.#startedAt = wallNow();
    // A request whose world ended while it waited is not sent.
    if (this.#allowed <= 0) this.#expire();
    else this.hurry(Math.min(this.#allowed, this.message.timeout()));
  }

  /** Sends the request, unless its time has run out. Resolves once it is written to its connection, or has ended. */
  send(agent: Agent): Promise<void> {
    if (this.#over) return Promise.resolve();
    const { origin, path, method = "POST", headers, cutAt, ownConnection } = this.message;
    const body = encodeBody(this.message.body, headers);
    const reset = ownConnection || timersAreFake();
    return new Promise((resolve) => {
      this.#leave = resolve;
      // These headers let any sandbox recognise the request as another sandbox's.
      const own = { ...headers, ...OWN_HEADERS };
      const sent =
        cutAt === undefined || body === null ? { headers: own, body } : inSegments(own, body, cutAt);
      agent.dispatch({ origin, path, method, ...sent, reset }, this);
    });
  }

  /** Ends the request unsent, because the module that sends requests could not be loaded. */
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

/** The pause between two segments, in turns of the event loop: a server in this process can act in each. */
const PAUSE_STEPS = 5;
const PAUSE_STEP_MS = 10;

/** A body that is written in two parts. Its length is known, so undici does not use chunks. */
function inSegments(headers: Record<string, string>, body: string | Buffer, cutAt: number) {
  const bytes = Buffer.from(body as string);
  async function* segments() {
    yield bytes.subarray(0, cutAt);
    for (let step = 0; step < PAUSE_STEPS; step += 1) await wallSleep(PAUSE_STEP_MS);
    yield bytes.subarray(cutAt);
  }
  return { headers: { ...headers, "content-length": String(bytes.length) }, body: Readable.from(segments()) };
}

/** An answer's headers, each as one text. Cookies belong to the sender of the request, and are never stored. */
function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const flat: Record<string, string> = {};
  for (const [name, value] of Object.entries(headers))
    if (name !== "set-cookie") flat[name] = typeof value === "string" ? value : [value].flat().join(", ");
  return flat;
}
