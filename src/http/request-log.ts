import type { IncomingHttpHeaders } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import { type Static, Type } from "typebox";
import { withoutSecrets } from "../runtime/secret-parameters.ts";
import { TOKEN_HEADER } from "../runtime/share-link.ts";
import { shellWord } from "../runtime/shell.ts";
import { unlessThrown } from "../runtime/unless-thrown.ts";
import type { Clock } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import { calledMethod } from "./address.ts";
import { nullable, shape, text, VirtualTime, WallTime } from "./shapes.ts";

/** How many calls are stored before the oldest ones are removed. */
const KEPT_CALLS = 500;
const KEPT_BODY_CHARACTERS = 16_384;
/** The size limit for stored bodies. Hundreds of larger ones would fill the memory. */
const MOST_BYTES = 256 * 1024;
/** Calls with this header are not listed. ui/api.ts sends it when the page reads data on its own. */
export const UNLISTED_HEADER = "x-sandbox-unlisted";
const SECRET_HEADERS = new Set(["authorization", "x-api-key", "cookie", TOKEN_HEADER]);
const HIDDEN_FROM_CURL = new Set([
  "host",
  "connection",
  "content-length",
  "accept-encoding",
  "user-agent",
  "accept",
  ...SECRET_HEADERS,
]);
const SECRET_FIELDS = /"(secret|key|launcherJwt|jwt)":"(?:[^"\\]|\\.)*"/g;

const ERROR = 400;

interface Call extends Pick<RequestSummary, "id" | "area" | "method" | "path" | "status"> {
  headers: IncomingHttpHeaders;
  body: unknown;
  hint: string | undefined;
  responseBody: string | Buffer | null;
  durationMs: number;
  at: number;
  wall: number;
}

/** The latest calls to a world's APIs, stored without secrets. */
export interface RequestLog {
  add(area: string, request: FastifyRequest, reply: FastifyReply, responseBody: string | Buffer | null): void;
  list(query: { after?: number; limit?: number }): RequestSummary[];
  get(id: number): RequestDetail | undefined;
  /** The number of all calls, including calls that are no longer stored. */
  count(): number;
  clear(): void;
  /**
   * Calls the listener whenever a call is listed.
   * @returns a function that removes the listener
   */
  onCall(listener: () => void): () => void;
}

export const RequestSummary = shape("Request", {
  id: Type.Integer(),
  area: Type.String(),
  method: Type.String(),
  path: Type.String(),
  status: Type.Integer(),
  // Errors from the explorer and the chain-data lookup have no code.
  error: nullable(
    Type.Object(
      { code: nullable(Type.String()), message: Type.String() },
      { description: "Why the request was refused." },
    ),
  ),
  hint: Type.Optional(text("The response's `X-Sandbox-Hint` header, if it had one.")),
  duration_ms: Type.Number(),
  at: VirtualTime,
  wall: WallTime,
  curl: Type.String(),
});
export type RequestSummary = Static<typeof RequestSummary>;

export const RequestDetail = shape("RequestDetail", {
  ...RequestSummary.properties,
  headers: Type.Record(Type.String(), Type.String()),
  body: nullable(Type.String()),
  response_body: nullable(Type.String()),
});
export type RequestDetail = Static<typeof RequestDetail>;

/** @param origin the world's URL, for the curl commands */
export function createRequestLog(clock: Clock, origin: () => string): RequestLog {
  let calls: Call[] = [];
  let count = 0;
  const listeners = new Set<() => void>();

  const summary = (call: Call): RequestSummary => ({
    ...{ id: call.id, area: call.area, method: call.method, path: call.path, status: call.status },
    error: call.status < ERROR ? null : errorIn(call.responseBody),
    ...(call.hint !== undefined && { hint: call.hint }),
    duration_ms: call.durationMs,
    at: iso(call.at),
    wall: iso(call.wall),
    curl: curlLine(call, origin()),
  });

  return {
    add(area, request, reply, responseBody) {
      if (request.headers[UNLISTED_HEADER] !== undefined) return;
      count += 1;
      calls.push({
        id: count,
        area,
        method: calledMethod(request),
        path: withoutSecrets(request.url),
        headers: request.headers,
        body: keptBody(request),
        status: reply.statusCode,
        hint: reply.getHeader("x-sandbox-hint") as string | undefined,
        responseBody:
          responseBody !== null && responseBody.length > MOST_BYTES
            ? tooLarge(responseBody.length)
            : responseBody,
        durationMs: Math.round(reply.elapsedTime * 100) / 100,
        at: clock.now(),
        wall: clock.wall(),
      });
      if (calls.length >= KEPT_CALLS * 2) calls = calls.slice(-KEPT_CALLS);
      for (const listener of listeners) listener();
    },
    list({ after = 0, limit = 100 }) {
      const recent = calls.slice(-KEPT_CALLS).filter((call) => call.id > after);
      return recent.slice(-limit).map(summary);
    },
    get(id) {
      const call = calls.slice(-KEPT_CALLS).find((candidate) => candidate.id === id);
      if (!call) return undefined;
      return {
        ...summary(call),
        headers: redactedHeaders(call.headers),
        body: bodyText(call.body),
        response_body: redacted(call.responseBody && String(call.responseBody)),
      };
    },
    count: () => count,
    clear() {
      calls = [];
    },
    onCall(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function keptBody({ headers, body }: FastifyRequest): unknown {
  const bytes = Number(headers["content-length"] ?? 0);
  return bytes > MOST_BYTES ? tooLarge(bytes) : body;
}

const tooLarge = (size: number): string => `(${size} bytes, not stored)`;

/** A response's error, in its area's format. */
function errorIn(body: string | Buffer | null): RequestSummary["error"] {
  const stated = Object(unlessThrown(() => JSON.parse(redacted(String(body))!)));
  const { code = stated.className, message = stated.message ?? stated.error } = Object(stated.error);
  if (typeof message !== "string") return null;
  return { code: typeof code === "string" ? code : null, message };
}

function redactedHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name) ? "[redacted]" : [value].flat().join(", "),
    ]),
  );
}

function redacted(text: string | null): string | null {
  return text === null
    ? null
    : text.replace(SECRET_FIELDS, '"$1":"[redacted]"').slice(0, KEPT_BODY_CHARACTERS);
}

function bodyText(body: unknown): string | null {
  return body === undefined || body === null
    ? null
    : redacted(typeof body === "string" ? body : JSON.stringify(body));
}

/** A curl command that repeats the call, using the key in SANDGLASS_API_KEY. */
function curlLine(call: Call, origin: string): string {
  const parts = ["curl"];
  if (call.method !== "GET") parts.push("-X", call.method);
  parts.push(shellWord(origin + call.path));
  if (call.headers.authorization !== undefined || call.headers["x-api-key"] !== undefined)
    parts.push('-H "Authorization: Bearer $SANDGLASS_API_KEY"');
  for (const [name, value] of Object.entries(call.headers)) {
    if (!HIDDEN_FROM_CURL.has(name)) parts.push("-H", shellWord(`${name}: ${[value].flat().join(", ")}`));
  }
  const body = bodyText(call.body);
  if (body !== null) parts.push("-d", shellWord(body));
  return parts.join(" ");
}
