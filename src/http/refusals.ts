import type { ServerResponse } from "node:http";
import type { Duplex } from "node:stream";
import type { SandboxError, Surface } from "../errors/errors.ts";
import { http } from "../runtime/node-http.ts";
import { wallTimer } from "../world/clock.ts";
import type { AreaFace, Refusal } from "./area.ts";

/** Real milliseconds in which a refused client may read its answer before the connection is cut. */
const LINGER_MS = 1_000;

/** A refusal as one text, for areas whose errors have no hint. */
export const refusalText = ({ message, hint }: Refusal): string =>
  hint === "" ? message : `${message} ${hint}`;

/** The area of a request's URL, with or without a world; undefined for everything else. */
export function areaOf(url: string, areas: readonly AreaFace[]): AreaFace | undefined {
  const name = /^(?:\/w\/[^/]+)?\/([^/?#]+)/.exec(url)?.[1];
  return areas.find((area) => area.name === name);
}

/** A refusal in the form of the area of `url`, or in Sandglass's own form. */
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

/** Answers with a refusal, and closes the connection. */
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

/** Sandglass's own error form: `{"error": {"code", "message", "hint", "param"}}`, without `param` if no field is wrong. */
export function sandboxErrorBody(error: SandboxError, surface: Surface = "http") {
  const { code, message, param } = error;
  return { error: { code, message, hint: error.hintFor(surface), ...(param !== undefined && { param }) } };
}

/** Headers of an answer after which the connection is closed. */
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
 * Writes the last bytes of a connection. The client's further bytes are read for a moment: closing over unread data resets the
 * connection, and the answer is lost.
 */
export function closeSocket(socket: Duplex, last = ""): void {
  socket.end(last);
  socket.resume();
  const cancel = wallTimer(LINGER_MS, () => void socket.destroy());
  socket.once("close", cancel);
}
