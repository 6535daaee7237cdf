import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { SandboxError, Surface } from "../errors/errors.ts";
import { http } from "../runtime/node-http.ts";
import { wallTimer } from "../world/clock.ts";
import type { AreaFace, Refusal } from "./area.ts";

/** How long a rejected client has to read the response before the connection is closed, in real milliseconds. */
const LINGER_MS = 1_000;

/** An error message and its hint in one string, for areas whose errors have no separate hint. */
export const refusalText = ({ message, hint }: Refusal): string =>
  hint === "" ? message : `${message} ${hint}`;

/** The area that a request's URL belongs to, with or without a world prefix; undefined for any other URL. */
export function areaOf(url: string, areas: readonly AreaFace[]): AreaFace | undefined {
  const name = /^(?:\/w\/[^/]+)?\/([^/?#]+)/.exec(url)?.[1];
  return areas.find((area) => area.name === name);
}

/** An error in the format of the URL's area, or in Sandglass's own format. */
export function refusalAnswer(
  refusal: Refusal,
  url: string,
  areas: readonly AreaFace[],
): { headers: Record<string, string>; body: object } {
  const form = areaOf(url, areas)?.refusals;
  if (form) return { headers: form.headers ?? {}, body: form.body(refusal, url.split("?")[0]!) };
  const { status, message, hint } = refusal;
  const code = status === 403 ? "forbidden" : "bad_request";
  return { headers: {}, body: { error: { code, message, hint } } };
}

/** Responds with an error, then closes the connection. */
export function answerRefusal(
  response: ServerResponse,
  refusal: Refusal,
  url: string,
  areas: readonly AreaFace[],
): void {
  const { headers, body } = refusalAnswer(refusal, url, areas);
  const text = JSON.stringify(body);
  response.writeHead(refusal.status, { ...headers, ...headersOf(text) }).end(text);
}

/**
 * Sandglass's own error format: `{"error": {"code", "message", "hint", "param"}}`, without `param` if the error is not about
 * a field.
 */
export function sandboxErrorBody(error: SandboxError, surface: Surface = "http") {
  const { code, message, param } = error;
  return { error: { code, message, hint: error.hintFor(surface), ...(param !== undefined && { param }) } };
}

/** The headers for a response after which the connection is closed. */
export const headersOf = (text: string): Record<string, string> => ({
  "content-type": "application/json; charset=utf-8",
  "content-length": String(Buffer.byteLength(text)),
  connection: "close",
});

export function answerSocket(
  socket: Duplex,
  status: number,
  body: object,
  headers: Record<string, string> = {},
): void {
  const text = JSON.stringify(body);
  const lines = Object.entries({ ...headers, ...headersOf(text) }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  closeSocket(socket, `HTTP/1.1 ${status} ${http.STATUS_CODES[status]}\r\n${lines.join("")}\r\n${text}`);
}

/**
 * Writes the last bytes to a connection, and keeps reading for a moment: closing a socket with unread data resets the
 * connection, and the client would lose the response.
 */
export function closeSocket(socket: Duplex, last = ""): void {
  socket.end(last);
  socket.resume();
  const cancel = wallTimer(LINGER_MS, () => void socket.destroy());
  socket.once("close", cancel);
}
