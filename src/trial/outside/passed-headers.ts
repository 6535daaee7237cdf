import type { IncomingHttpHeaders, IncomingMessage } from "node:http";

/** Headers of one connection, which are not passed on. HTTP/2 has those with a colon. */
const OF_CONNECTION =
  /^(?::.*|connection|keep-alive|proxy-.*|transfer-encoding|upgrade|te|http2-settings|host)$/i;

/** The headers of a request that belong to no connection. */
export const requestHeaders = ({ headers }: IncomingMessage): IncomingHttpHeaders =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !OF_CONNECTION.test(name)));

/** The headers of an answer that belong to no connection, as `writeHead` takes them: a repeated one stays so. */
export const answerHeaders = ({ rawHeaders: raw }: IncomingMessage): string[] =>
  raw.flatMap((name, index) => (index % 2 === 0 && !OF_CONNECTION.test(name) ? [name, raw[index + 1]!] : []));
