import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Headers that belong to a single connection and are not forwarded. Those of HTTP/2 start with a colon. */
const OF_CONNECTION =
  /^(?::.*|connection|keep-alive|proxy-.*|transfer-encoding|upgrade|te|http2-settings|host)$/i;

/** A request's headers without those of the connection. */
export const requestHeaders = ({ headers }: IncomingMessage): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)));

/**
 * A response's headers without those of the connection, in the format of `writeHead`, which preserves repeated ones.
 */
export const answerHeaders = ({ rawHeaders: raw }: IncomingMessage): string[] =>
  raw.flatMap((name, index) => (index % 2 === 0 && !OF_CONNECTION.test(name) ? [name, raw[index + 1]!] : []));
