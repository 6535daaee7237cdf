import { isUtf8 } from "node:buffer";
import type { IncomingMessage, ServerResponse } from "node:http";
import { portTaken } from "../errors/errors.ts";
import { listenAt } from "../runtime/listen.ts";
import { http } from "../runtime/node-http.ts";
import { wallNow } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import type { CapturedRequest } from "./capture-file.ts";
import { type Answer, createForward, refusal } from "./forward.ts";
import { headerPairs, MAX_BODY_MIB, readBody } from "./message.ts";

const LOOPBACK = "127.0.0.1";

/** Headers that must not end up in a file that people may share. */
const UNSTORED = /^(?:cookie|authorization|proxy-authorization)$/i;

/**
 * A proxy between a real sender and a server. It forwards each request byte for byte and returns the response. The
 * response is read completely first, so the sender gets either all of it or a 502 with the reason.
 * @param target the server's URL; if it has a path, this replaces the path of each request
 * @param took stores a request before the sender gets any part of the response. If it throws, the sender gets a 507
 * instead: so every request that a sender considers received is stored, and the sender retries the others
 * @param refused called with a message about each request that is not forwarded or not stored
 * @throws SandboxError `port_taken`
 */
export async function startProxy(options: {
  port: number;
  target: string;
  took: (request: CapturedRequest) => void;
  refused: (why: string) => void;
}) {
  const forward = createForward(new URL(options.target));

  async function pass(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const time = iso(wallNow());
    const { method = "GET", url: path = "/" } = request;
    const left = new AbortController();
    reply.on("close", () => left.abort());
    const send = ({ status, reason, headers, body }: Answer) =>
      reply.writeHead(status, reason, headers).end(body);
    reply.sendDate = false;
    const body = await readBody(request);
    if (body === "broken") return void reply.destroy();
    if (body === "too large") {
      const why = `The body of ${method} ${path} is larger than ${MAX_BODY_MIB} MiB. It was not forwarded.`;
      options.refused(why);
      reply.shouldKeepAlive = false;
      return void send(refusal(413, why));
    }
    const answer = await forward(request, body, left.signal);
    const { status, error }: Pick<CapturedRequest, "status" | "error"> = left.signal.aborted
      ? { status: null, error: "The sender closed the connection before your server responded." }
      : answer;
    try {
      options.took({
        ...{ time, method, path, headers: storedHeaders(request.rawHeaders) },
        ...(isUtf8(body) ? { body: body.toString() } : { body: body.toString("base64"), base64: true }),
        status,
        ...(error !== undefined && { error }),
      });
    } catch (error) {
      const why = `${method} ${path} was forwarded, but not stored: ${(error as Error).message}`;
      options.refused(why);
      return void send(refusal(507, why));
    }
    send(answer);
  }

  const server = http.createServer((request, reply) => {
    pass(request, reply).catch((error: Error) => {
      options.refused(`${request.method} ${request.url} got no response: ${error.message}.`);
      reply.destroy();
    });
  });
  const where = { port: options.port, host: LOOPBACK };
  const port = await listenAt(server, where).catch((error: NodeJS.ErrnoException) => {
    throw portTaken(
      error.code === "EADDRINUSE"
        ? `Port ${options.port} is taken by another program.`
        : `Cannot listen on port ${options.port}: ${error.message}.`,
      "Use another port, for example 4000, or 0 to pick any free port.",
    );
  });

  return {
    url: `http://${LOOPBACK}:${port}`,
    /** Stops accepting requests. Resolves when the open ones have been handled. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

function storedHeaders(raw: readonly string[]): Record<string, string> {
  const stored = new Map<string, string>();
  for (const [name, value] of headerPairs(raw))
    if (!UNSTORED.test(name)) stored.set(name, stored.has(name) ? `${stored.get(name)}, ${value}` : value);
  return Object.fromEntries(stored);
}
