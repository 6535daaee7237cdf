import { once } from "node:events";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Http2Server } from "node:http2";
import { connect, type Socket } from "node:net";
import { http, loadHttps } from "../../runtime/node-http.ts";
import { joinSockets } from "../statements/forward.ts";
import type { createCallCounter } from "./calls.ts";
import { type Crossings, callText } from "./crossing.ts";
import type { Gateway, GatewayOptions } from "./gateway.ts";
import { isListed, type Place, placeIn, placeOf, placeText } from "./hosts.ts";
import { answerHeaders, requestHeaders } from "./passed-headers.ts";
import type { ServiceAnswer, ServiceCall, Services } from "./services.ts";
import { isTelemetry } from "./telemetry.ts";
import { answerUndescribed, EMPTY_ANSWER } from "./undescribed.ts";

/** A sender's API, which a sandbox serves. */
export interface ApiPart {
  /** The sender's own hosts; `*.acme.io` matches all hosts under acme.io. */
  hosts: readonly string[];
  /** Handles a call. Its `url` is a path, and its Host header is what the client sent. */
  serve(request: IncomingMessage, response: ServerResponse): void;
}

/** Handles the calls that reach the gateway. */
export interface Answers extends Pick<GatewayOptions, "serve" | "pass"> {
  close(): void;
}

export interface AnswerOptions extends Pick<GatewayOptions, "passes">, Pick<Gateway, "follow"> {
  /** The Proxy-Authorization of requests to the proxy. */
  credentials: string;
  apis: readonly ApiPart[];
  calls: ReturnType<typeof createCallCounter>;
  /** Makes each call a point where a deviation can happen. */
  crossings: Crossings;
  /** The known services. */
  services: Services;
}

const GRPC = /^application\/grpc/;
/** An empty gRPC message, and two gRPC statuses: resource exhausted, unavailable. */
const EMPTY_MESSAGE = Buffer.alloc(5);
const GRPC_STATUS: Record<number, string> = { 429: "8", 500: "14" };
const EMPTY = Buffer.alloc(0);

export function createAnswers(options: AnswerOptions): Answers {
  const { credentials, apis, passes, calls, crossings, services, follow } = options;
  const places = new WeakMap<object, Place>();
  let second: Http2Server | undefined;

  /** Whether a request to the proxy comes from this run's server. */
  const isKnown = (request: IncomingMessage): boolean =>
    places.has(request.socket) || request.headers["proxy-authorization"] === credentials;

  /** HTTP/2 requests arrive in the same form as HTTP/1 requests. */
  function answer(request: IncomingMessage, response: ServerResponse): void {
    request.on("error", () => undefined);
    response.on("error", () => undefined);
    const { url = "/", headers } = request;
    const { ":authority": authority, host = String(authority ?? "") } = headers;
    const absolute = /^https?:\/\//i.test(url) ? new URL(url) : undefined;
    const led = places.get(request.socket);
    if (request.httpVersionMajor < 2 && !isKnown(request)) {
      response.writeHead(407, { "proxy-authenticate": 'Basic realm="Sandglass"' });
      return void response.end("This gateway only accepts its trial's server.\n");
    }
    const isSecure = headers[":scheme"] === "https" || "encrypted" in request.socket;
    const place = absolute ? placeOf(absolute) : (led ?? placeIn(host, isSecure ? 443 : 80));
    const path = absolute ? absolute.pathname + absolute.search : url;
    const api = apis.find(({ hosts }) => isListed(place, hosts));
    if (api) {
      request.url = path;
      headers.host = host || place.host;
      return void api.serve(request, response);
    }
    if (absolute && passes(place)) {
      calls.count(place, "allowed");
      return void forward(request, response, absolute);
    }
    if (!isTelemetry(place, path)) return void serve(request, response, place, path);
    calls.count(place, "telemetry");
    request.resume();
    write(request, response, answerUndescribed({ place, method: "GET", path, headers, body: EMPTY }));
  }

  /** Responds to a call on behalf of a service, once the call is allowed to proceed. */
  async function serve(request: IncomingMessage, response: ServerResponse, place: Place, path: string) {
    const { method = "GET", headers } = request;
    const body = await bodyIn(request);
    if (!body) return;
    const call: ServiceCall = { place, method, path, headers, body };
    const crossing = crossings.begin(callText(method, path, placeText(place)), once(response, "close"));
    const how = await crossing.passed;
    const described = how === "pass" ? await services.answer(call) : undefined;
    calls.count(place, described ? "described" : "answered");
    if (how === "disconnect") return destroy(response);
    const answer =
      how === "pass"
        ? (described ?? answerUndescribed(call))
        : await failureOf(call, how === "fail" ? 500 : 429, services);
    for (const effect of answer.effects) crossing.happen(effect);
    if (!(await crossing.end(how === "pass" && !described ? EMPTY_ANSWER : String(answer.status))))
      return destroy(response);
    write(request, response, answer);
  }

  const first: Server = http.createServer(
    // Clients may reuse connections indefinitely.
    { keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 },
    answer,
  );
  first.on("connect", (request: IncomingMessage, socket: Socket, head: Buffer) => {
    socket.on("error", () => undefined);
    if (!isKnown(request)) return void socket.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n");
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    if (head.length > 0) socket.unshift(head);
    void follow(socket, placeIn(request.url!, 443));
  });

  return {
    serve(socket, version, place) {
      if (place) places.set(socket, place);
      if (version === "1.1") return void first.emit("connection", socket);
      second ??= process.getBuiltinModule("node:http2").createServer({}, answer as never);
      second.on("sessionError", () => undefined).emit("connection", socket);
    },
    pass(socket, place) {
      calls.count(place, "allowed");
      const outer = connect({ host: place.host, port: place.port, noDelay: true });
      outer.on("error", () => socket.resetAndDestroy());
      joinSockets(socket, outer);
    },
    close() {
      first.close();
      second?.close();
    },
  };
}

/**
 * The whole body; for gRPC, whose streams may stay open, the first message. @returns undefined if the client closes the
 * connection first
 */
function bodyIn(request: IncomingMessage): Promise<Buffer | undefined> {
  const isGrpc = GRPC.test(request.headers["content-type"] ?? "");
  const chunks: Buffer[] = [];
  return new Promise((resolve) => {
    request.on("data", (chunk: Buffer) => {
      chunks.push(chunk);
      const first = isGrpc ? Buffer.concat(chunks) : EMPTY;
      if (first.length >= 5 && first.length >= 5 + first.readUInt32BE(1)) resolve(first);
    });
    request.once("end", () => resolve(Buffer.concat(chunks))).once("close", () => resolve(undefined));
  });
}

/** How a service responds when it fails or is called too often. */
async function failureOf(call: ServiceCall, status: 500 | 429, services: Services): Promise<ServiceAnswer> {
  const described = await services.refuse(call, status);
  if (described) return described;
  const isLimit = status === 429;
  return {
    status,
    // Clients wait in real time before they repeat the call.
    headers: { "content-type": "application/json", ...(isLimit && { "retry-after": "1" }) },
    body: JSON.stringify({ error: isLimit ? "Too many requests." : "An internal error occurred." }),
    effects: [],
  };
}

function destroy(response: ServerResponse): void {
  if ("stream" in response) (response.stream as { destroy(): void }).destroy();
  else response.destroy();
}

function write({ headers }: IncomingMessage, response: ServerResponse, answer: ServiceAnswer): void {
  const { status, headers: own, body } = answer;
  const isGrpc = GRPC.test(headers["content-type"] ?? "") && "stream" in response;
  if (!isGrpc) return void response.writeHead(status, own).end(body);
  // An empty message, or the gRPC status for a failure.
  response.writeHead(200, { "content-type": "application/grpc" });
  response.addTrailers({ "grpc-status": GRPC_STATUS[status] ?? "0" });
  response.end(status === 200 ? EMPTY_MESSAGE : EMPTY);
}

/** Forwards a call, and returns its response. */
function forward(request: IncomingMessage, response: ServerResponse, to: URL): void {
  const { request: send } = to.protocol === "https:" ? loadHttps() : http;
  const headers = { ...requestHeaders(request), host: to.host };
  const inner = send(to, { method: request.method!, headers }, (answer) => {
    response.writeHead(answer.statusCode!, answerHeaders(answer));
    answer.pipe(response);
    answer.once("error", () => response.destroy());
  });
  inner.once("error", () => response.destroy());
  response.once("close", () => inner.destroy());
  request.pipe(inner);
}
