import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { http, loadHttps } from "../runtime/node-http.ts";
import { trustedContext } from "../runtime/trusted.ts";
import { lookup } from "../webhooks/dispatcher.ts";
import { explain, MAX_HEADER_BYTES, statusError } from "../webhooks/failures.ts";
import { headerPairs, MAX_BODY_MIB, readBody } from "./message.ts";

/** Headers of a connection, or of how a body is transferred; a body is read to its end here. */
const OF_CONNECTION = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|trailer|upgrade)$/i;
/** Characters that a reason phrase cannot have. The status is sent without it. */
const NO_REASON = /[^\t\x20-\x7e\x80-\xff]/;
/** Failures before the server could answer. */
const UNREACHED: readonly (string | null)[] = ["connection_refused", "dns"];
const CUT = Object.assign(new Error("aborted"), { code: "ECONNRESET" });

/** The answer that the sender gets. */
export interface Answer {
  status: number;
  reason?: string | undefined;
  /** Names and values in alternation. */
  headers: string[];
  body: Buffer | string;
  /** Why the answer is not the server's. */
  error?: string;
}

/** An answer that capture itself gives. */
export const refusal = (status: number, error: string, hint = ""): Answer => ({
  status,
  headers: ["Content-Type", "text/plain; charset=utf-8"],
  body: `sandglass capture: ${error}${hint}\n`,
  error,
});

/** Passes a request on. Resolves to the server's whole answer, or to a 502 with the reason. */
export type Forward = (request: IncomingMessage, body: Buffer, signal: AbortSignal) => Promise<Answer>;

/** @param target where requests go. Its path counts if it has one; otherwise each request keeps its own */
export function createForward(target: URL): Forward {
  const secure = target.protocol === "https:";

  function open(request: IncomingMessage, body: Buffer, signal: AbortSignal) {
    const headers = passedHeaders(request.rawHeaders);
    // The body is complete here, so its length replaces any chunked encoding.
    if (body.length > 0 && request.headers["content-length"] === undefined)
      headers.push("Content-Length", String(body.length));
    return (secure ? loadHttps() : http).request({
      ...{ host: target.hostname.replace(/^\[|\]$/g, ""), port: target.port || undefined, lookup },
      ...(secure && trustedContext()),
      // The server may close an idle connection while a request is being sent.
      agent: false,
      method: request.method,
      path: pathAt(target, request.url!),
      headers: headers as unknown as OutgoingHttpHeaders,
      maxHeaderSize: MAX_HEADER_BYTES,
      signal,
    });
  }

  function failed(error: Error, answer?: IncomingMessage): Answer {
    const headers = (answer?.headers as Record<string, string> | undefined) ?? null;
    const ending = explain(error, answer?.statusCode, headers);
    const hint = UNREACHED.includes(ending.error)
      ? " Start your server there, or specify its URL with --forward-to."
      : "";
    return refusal(502, `${target.host} ${ending.detail ?? "did not answer in time"}.`, hint);
  }

  return (request, body, signal) =>
    new Promise((resolve) => {
      /** How the connection failed. It counts only until the answer is complete. */
      let failure: Error | undefined;
      let answered = false;
      const outgoing = open(request, body, signal);
      outgoing.on("error", (error) => {
        failure = error;
        if (!answered) resolve(failed(error));
      });
      outgoing.on("upgrade", (_answer, socket) => {
        socket.destroy();
        resolve(failed(statusError(101)!));
      });
      outgoing.on("response", async (answer) => {
        answered = true;
        const error = statusError(answer.statusCode!);
        if (error) {
          answer.destroy();
          return resolve(failed(error));
        }
        const whole = await readBody(answer);
        if (whole === "broken") resolve(failed(failure ?? CUT, answer));
        else if (whole === "too large")
          resolve(refusal(502, `${target.host} answered with more than ${MAX_BODY_MIB} MiB.`));
        else resolve(passedAnswer(answer, whole));
      });
      outgoing.end(body);
    });
}

/** A path of the target replaces the request's own; the queries of both count. */
function pathAt({ pathname, search }: URL, path: string): string {
  const at = path.indexOf("?");
  const [own, query] = at < 0 ? [path, ""] : [path.slice(0, at), path.slice(at)];
  const both = search !== "" && query !== "" ? `${search}&${query.slice(1)}` : search + query;
  return (pathname === "/" ? own : pathname) + both;
}

function passedAnswer({ statusCode, statusMessage = "", rawHeaders }: IncomingMessage, body: Buffer): Answer {
  const reason = NO_REASON.test(statusMessage) ? undefined : statusMessage;
  return { status: statusCode!, reason, headers: passedHeaders(rawHeaders), body };
}

const passedHeaders = (raw: readonly string[]): string[] =>
  headerPairs(raw).flatMap((pair) => (OF_CONNECTION.test(pair[0]) ? [] : pair));
