import { lookup } from "node:dns";
import { connect, type LookupFunction } from "node:net";
import { Agent, request } from "undici";
import { judge } from "../payments/webhooks/exchange.ts";
import { formatDuration } from "../story/duration.ts";
import { wallNow, wallTimer } from "../world/clock.ts";
import { SECOND } from "../world/duration.ts";
import type { Answer, AnswerError, CheckRequest } from "./hazard.ts";

/** How much of an answer's body is kept, and how much of it is read. */
const KEPT_BYTES = 16 * 1024;
const READ_BYTES = 1024 * 1024;
const CONNECT_TIMEOUT_MS = 10 * SECOND;

/** Why there is no connection, in the words of an answer. */
export type Missing = Pick<Answer, "error" | "detail">;

export type Sender = ReturnType<typeof createSender>;

/**
 * Sends requests to one receiver as the platform does: through an agent of its own that nothing patches and no proxy
 * takes, each over a connection of its own, redirects not followed.
 * @param timeout real milliseconds that one request may take
 */
export function createSender(url: string, timeout: number) {
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { timeout: Math.min(CONNECT_TIMEOUT_MS, timeout), lookup: localLookup },
  });

  async function exchange(target: string, sent: CheckRequest, limit: number) {
    const { method, headers, body } = sent;
    const abort = new AbortController();
    const cancel = wallTimer(timeout, () => abort.abort());
    const started = wallNow();
    const seen = { status: null as number | null, text: "" };
    let failed: Missing | undefined;
    try {
      const { signal } = abort;
      const answer = await request(target, { method, headers, body, signal, dispatcher: agent, reset: true });
      seen.status = answer.statusCode;
      seen.text = await readStart(answer.body, limit);
      const { error } = judge(answer.statusCode);
      const to = answer.headers.location === undefined ? "" : ` to ${clip(String(answer.headers.location))}`;
      failed = {
        error: error as AnswerError | null,
        detail: `answered ${answer.statusCode}${error === "redirect" ? to : ""}`,
      };
    } catch (error) {
      failed = abort.signal.aborted
        ? { error: "timeout", detail: unanswered(seen.status, timeout) }
        : explain(error as Error, seen.status);
    } finally {
      cancel();
    }
    return { ...seen, ...failed, durationMs: wallNow() - started };
  }

  return {
    /** One request and its answer. Never rejects. */
    async send(sent: CheckRequest): Promise<Answer> {
      const { text, ...rest } = await exchange(url, sent, KEPT_BYTES);
      return { request: sent, body: text, ...rest };
    },

    /** What a GET of another address answers; the body up to a megabyte. Never rejects. */
    read: (address: string) =>
      exchange(
        address,
        { what: "", method: "GET", headers: { accept: "application/json, */*" }, body: null },
        READ_BYTES,
      ),

    /** Opens a connection and sends nothing. @returns why there is none; undefined when there is one */
    missing: (): Promise<Missing | undefined> => tryConnection(new URL(url)),

    close: () => agent.destroy(),
  };
}

function tryConnection({ hostname, port, protocol }: URL): Promise<Missing | undefined> {
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
      lookup: localLookup,
      timeout: CONNECT_TIMEOUT_MS,
    });
    const end = (missing?: Missing) => {
      socket.destroy();
      resolve(missing);
    };
    socket.once("connect", () => end());
    socket.once("error", (error) => end(explain(error, null)));
    socket.once("timeout", () => end({ error: "connection_refused", detail: UNREACHABLE.ETIMEDOUT! }));
  });
}

/** The start of a body; it is read to its end, as the platform does, but for one that is far too long. */
async function readStart(body: AsyncIterable<Buffer>, limit: number): Promise<string> {
  const kept: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    if (size < limit) kept.push(chunk.subarray(0, limit - size));
    size += chunk.length;
    if (size >= READ_BYTES) break;
  }
  return new TextDecoder().decode(Buffer.concat(kept), { stream: true });
}

const UNREACHABLE: Record<string, string> = {
  ECONNREFUSED: "refused the connection",
  EHOSTUNREACH: "cannot be reached from here",
  ENETUNREACH: "cannot be reached from here",
  EADDRNOTAVAIL: "cannot be reached from here",
  EHOSTDOWN: "cannot be reached from here",
  EACCES: "cannot be reached from here",
  ETIMEDOUT: "took no connection",
  UND_ERR_CONNECT_TIMEOUT: "took no connection",
};
const CLOSED = new Set(["ECONNRESET", "EPIPE", "ECONNABORTED", "UND_ERR_SOCKET"]);
const NO_NAME = new Set(["ENOTFOUND", "EAI_AGAIN", "EAI_FAIL", "EAI_NODATA", "EAI_NONAME"]);

/** A failed exchange in the words of delivery records, and as the end of a sentence. */
function explain(error: Error & { code?: string }, status: number | null): Missing {
  const { code = "", message } = error;
  if (status !== null)
    return {
      error: "invalid_response",
      detail: `answered ${status}, but closed the connection within the answer`,
    };
  const unreachable = UNREACHABLE[code];
  if (unreachable !== undefined) return { error: "connection_refused", detail: unreachable };
  if (CLOSED.has(code))
    return { error: "connection_reset", detail: "closed the connection without an answer" };
  if (NO_NAME.has(code)) return { error: "dns", detail: "has a name that does not resolve" };
  if (/^(?:ERR_(?:TLS|SSL)|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|EPROTO|HOSTNAME_MISMATCH)/.test(code))
    return { error: "tls", detail: `does not make a trusted TLS connection (${code})` };
  return { error: "invalid_response", detail: `answered with something that is not HTTP (${clip(message)})` };
}

function unanswered(status: number | null, timeout: number): string {
  const within = formatDuration(timeout);
  return status === null
    ? `did not answer within ${within}`
    : `answered ${status}, but did not end the answer within ${within}`;
}

const clip = (text: string) => (text.length > 200 ? `${text.slice(0, 200)}…` : text);

/** Every name under localhost is this machine, whatever the system's resolver thinks. */
const localLookup: LookupFunction = (hostname, options, callback) =>
  lookup(hostname.endsWith(".localhost") ? "localhost" : hostname, options, callback);
