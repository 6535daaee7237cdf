import type { IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { http, loadHttps } from "../runtime/node-http.ts";
import { trustedContext } from "../runtime/trusted.ts";
import { lookup } from "../webhooks/dispatcher.ts";
import { explain, MAX_HEADER_BYTES, statusError } from "../webhooks/failures.ts";
import { headerPairs, MAX_BODY_MIB, readBody } from "./message.ts";

/** Headers about the connection and the transfer. They are dropped, because the proxy reads bodies completely. */
const OF_CONNECTION = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|trailer|upgrade)$/i;
/** Matches characters that a reason phrase may not contain. If there are any, the status is sent without the phrase. */
const NO_REASON = /[^\t\x20-\x7e\x80-\xff]/;
/** Failures that occur before a connection to the server exists. */
const UNREACHED: readonly (string | null)[] = ["connection_refused", "dns"];
const CUT = Object.assign(new Error("aborted"), { code: "ECONNRESET" });

/** The response sent to the sender. */
export interface Answer {
  status: number;
  reason?: string | undefined;
  /** Header names and values, in alternation. */
  headers: string[];
  body: Buffer | string;
  /** Why this is not the server's own response. */
  error?: string;
}

/** A response that the capture proxy generates itself. */
export const refusal = (status: number, error: string, hint = ""): Answer => ({
  status,
  headers: ["Content-Type", "text/plain; charset=utf-8"],
  body: `sandglass capture: ${error}${hint}\n`,
  error,
});

/** Forwards a request. Resolves with the server's complete response, or with a 502 response that states the reason. */
export type Forward = (request: IncomingMessage, body: Buffer, signal: AbortSignal) => Promise<Answer>;

/** @param target the server's URL. If it has a path, that replaces each request's own path */
export function createForward(target: URL): Forward {
  const secure = target.protocol === "https:";

  function open(request: IncomingMessage, body: Buffer, signal: AbortSignal) {
    const headers = passedHeaders(request.rawHeaders);
    // The body is complete at this point, so its length replaces any chunked encoding.
    if (body.length > 0 && request.headers["content-length"] === undefined)
      headers.push("Content-Length", String(body.length));
    return (secure ? loadHttps() : http).request({
      ...{ host: target.hostname.replace(/^\[|\]$/g, ""), port: target.port || undefined, lookup },
      ...(secure && trustedContext()),
      // Do not reuse connections: the server may close an idle connection while a request is being sent on it.
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
    return refusal(502, `${target.host} ${ending.detail ?? "did not respond in time"}.`, hint);
  }

  return (request, body, signal) =>
    new Promise((resolve) => {
      /** Why the connection failed. Ignored if the response is already complete. */
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
          resolve(refusal(502, `${target.host} responded with more than ${MAX_BODY_MIB} MiB.`));
        else resolve(passedAnswer(answer, whole));
      });
      outgoing.end(body);
    });
}

/** The target's path, if it has one, replaces the request's path; the two queries are combined. */
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
