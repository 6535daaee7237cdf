import type { IncomingMessage, RequestListener, Server, ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { TLSSocket } from "node:tls";
import { http, loadHttps } from "../runtime/node-http.ts";
import type { AreaFace, Refusal } from "./area.ts";
import { answerRefusal, answerSocket, closeSocket, refusalAnswer } from "./refusals.ts";

/** How a server handles requests that reach no route. */
export interface ConnectionOptions {
  /** The prefix for a request's path on an area's own port. Errors on that port are in the area's format. */
  base?: string;
  /** The server's areas, each with its own error format. */
  areas: readonly AreaFace[];
  /** The certificate and key for a server that accepts only HTTPS. */
  tls?: { cert: string; key: string } | undefined;
  /** How long the request's headers, and the whole request, may take to arrive, in real milliseconds. */
  headersTimeout?: number;
  requestTimeout?: number;
  /** How often to check for late requests, in real milliseconds. */
  checkEvery?: number;
}

const SECOND = 1_000;
const HEADERS_TIMEOUT = 60 * SECOND;
/** How long a request may take to arrive, in milliseconds. The largest request is a snapshot of half a gigabyte. */
const REQUEST_TIMEOUT = 300 * SECOND;
/** A long keep-alive time, so clients rarely reuse a connection just as it is being closed. */
const KEEP_ALIVE_TIMEOUT = 72 * SECOND;
const CHECK_EVERY = 30 * SECOND;

/**
 * An HTTP server that sends useful responses where Node would send empty ones or none: to malformed or late requests,
 * unknown expectations, and CONNECT. Each of its sockets always has an error listener.
 */
export function createConnectionServer(handle: RequestListener, options: ConnectionOptions): Server {
  const { base = "", areas, tls } = options;
  const { headersTimeout = HEADERS_TIMEOUT, requestTimeout = REQUEST_TIMEOUT } = options;
  /** The latest request on a connection, with its response. */
  const latest = new WeakMap<Duplex, { request: IncomingMessage; response: ServerResponse }>();
  /** Connections that have sent their last response. They are still being read, so that the response arrives. */
  const closing = new WeakSet<Duplex>();
  const createServer = tls
    ? (loadHttps().createServer as unknown as typeof http.createServer)
    : http.createServer;
  const server = createServer(
    {
      ...tls,
      headersTimeout,
      requestTimeout,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT,
      connectionsCheckingInterval: options.checkEvery ?? CHECK_EVERY,
      // The Host header is checked below instead, because Node's error response has no body.
      requireHostHeader: false,
    },
    (request, response) => {
      latest.set(request.socket, { request, response });
      if (request.headers.host === undefined && request.httpVersion === "1.1")
        return answerRefusal(response, WITHOUT_HOST, base + request.url, areas);
      handle(request, response);
    },
  );

  function refuseSocket(socket: Duplex, refusal: Refusal, url: string): void {
    const { headers, body } = refusalAnswer(refusal, base + url, areas);
    answerSocket(socket, refusal.status, body, headers);
  }

  // Whichever code owns a socket (the parser, a WebSocket, a refusal) closes it on an error. A socket without an owner,
  // as while an upgrade is being decided, needs a listener, because an unhandled error would crash the process.
  for (const opened of ["connection", "secureConnection"])
    server.on(opened, (socket: Duplex) => void socket.on("error", () => socket.destroy()));

  server.on("clientError", (error: ClientError, socket: Duplex) => {
    if (closing.has(socket)) return;
    // If the handshake failed, no response can be sent.
    if (/^ERR_(?:SSL|TLS)/.test(error.code ?? "")) return void socket.destroy();
    closing.add(socket);
    if (!socket.writable || error.code === "ECONNRESET") return void socket.destroy();
    const last = latest.get(socket);
    const open = last && !(last.request.complete && last.response.writableEnded) ? last : undefined;
    // At least part of the response has already been sent, so nothing may follow it.
    if (open?.response.writableEnded) return closeSocket(socket);
    if (open?.response.headersSent) return void socket.destroy();
    const refusal = explain(error, { headersTimeout, requestTimeout });
    refuseSocket(socket, refusal, open?.request.url ?? firstPath(error.rawPacket));
  });
  server.on("connect", (request: IncomingMessage, socket: Duplex) =>
    refuseSocket(socket, noProxy(request.url ?? ""), ""),
  );
  server.on("checkExpectation", (request: IncomingMessage, response: ServerResponse) =>
    answerRefusal(response, unknownExpectation(request.headers.expect ?? ""), base + request.url, areas),
  );
  return server;
}

/**
 * If an upgrade is ignored, handles its request as an ordinary one. Clients offer HTTP/2 this way, and continue with
 * HTTP/1.1 if the server does not support it.
 */
export function serveWithoutUpgrade(
  server: Server,
  { method, url, httpVersion, rawHeaders }: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  let text = `${method} ${url} HTTP/${httpVersion}\r\n`;
  for (let index = 0; index < rawHeaders.length; index += 2)
    if (rawHeaders[index]!.toLowerCase() !== "upgrade")
      text += `${rawHeaders[index]}: ${rawHeaders[index + 1]}\r\n`;
  socket.unshift(Buffer.concat([Buffer.from(`${text}\r\n`, "latin1"), head]));
  server.emit((socket as Partial<TLSSocket>).encrypted ? "secureConnection" : "connection", socket);
}

interface ClientError extends NodeJS.ErrnoException {
  reason?: string;
  /** The bytes that were being parsed when the error occurred. */
  rawPacket?: Buffer;
}

/** The path in a request line that starts with these bytes; empty if there isn't one. */
function firstPath(packet: Buffer | undefined): string {
  const line = packet?.subarray(0, http.maxHeaderSize).toString("latin1") ?? "";
  return /^[A-Za-z-]+ (\/\S*)/.exec(line)?.[1] ?? "";
}

const WITHOUT_HOST: Refusal = {
  status: 400,
  message: "The request has no Host header.",
  hint: "HTTP/1.1 requires this header, for example Host: 127.0.0.1:4400.",
};

const noProxy = (target: string): Refusal => ({
  status: 405,
  message: `Sandglass is not a proxy: it does not connect to ${target.slice(0, 100)}.`,
  hint: "Remove Sandglass's address from HTTP_PROXY and HTTPS_PROXY.",
});

const unknownExpectation = (expectation: string): Refusal => ({
  status: 417,
  message: `The only supported value of the header Expect is 100-continue, not '${expectation.slice(0, 100)}'.`,
  hint: "Leave it out.",
});

function explain(
  { code, message, reason, rawPacket }: ClientError,
  { headersTimeout, requestTimeout }: { headersTimeout: number; requestTimeout: number },
): Refusal {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return {
        status: 431,
        message: `The request line and headers are larger than the limit of ${http.maxHeaderSize} bytes.`,
        hint: "Send fewer or shorter headers.",
      };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return {
        status: 413,
        message: "The chunk extensions of the body are larger than the limit of 16384 bytes.",
        hint: "Leave them out.",
      };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return {
        status: 408,
        message: `The request did not arrive in time: the limit is ${headersTimeout / SECOND} s for its headers, and ${requestTimeout / SECOND} s in total.`,
        hint: "Send the request again without pausing.",
      };
    default:
      return {
        status: 400,
        message: `The request cannot be read as HTTP/1.1: ${(reason ?? message).replace(/\.$/, "")}.`,
        hint: beginsTls(rawPacket)
          ? "It looks like TLS: call http://, not https://."
          : "Check the request line, the headers and the length of the body.",
      };
  }
}

const beginsTls = (packet: Buffer | undefined): boolean => packet?.[0] === 0x16 && packet[1] === 0x03;
