import { isUtf8 } from "node:buffer";
import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { SandboxError } from "../errors/errors.ts";
import { http, loadHttps } from "../runtime/node-http.ts";
import { trustedContext } from "../runtime/trusted.ts";
import { lookup } from "../webhooks/dispatcher.ts";
import { explain } from "../webhooks/failures.ts";
import { wallNow } from "../world/clock.ts";
import { iso } from "../world/duration.ts";
import type { CapturedRequest } from "./capture-file.ts";

/** Far above what any sender sends: GitHub, whose webhooks are the largest, stops at 25 MiB. */
const MAX_BODY_MIB = 64;
const LOOPBACK = "127.0.0.1";

/** Headers of a connection, not of the request that goes over it. */
const OF_CONNECTION = /^(?:connection|keep-alive|proxy-connection|transfer-encoding|upgrade)$/i;
/** Headers that a file to be shared should not have. */
const UNSTORED = /^(?:cookie|authorization|proxy-authorization)$/i;

/**
 * Stands between a real sender and a server: passes each request on, byte for byte, and the answer back.
 * @param target where they go. Its path counts if it has one; otherwise each request keeps its own
 * @param took gets each request once its answer begins, before the sender has any of that. It must not throw
 * @param refused gets what a person should know of a request that is not passed on
 * @throws SandboxError `port_taken`
 */
export async function startProxy(options: {
  port: number;
  target: string;
  took: (request: CapturedRequest) => void;
  refused: (why: string) => void;
}) {
  const target = new URL(options.target);
  const host = target.host;
  const secure = target.protocol === "https:";

  async function pass(request: IncomingMessage, reply: ServerResponse): Promise<void> {
    const time = iso(wallNow());
    const { method = "GET", url: path = "/" } = request;
    reply.sendDate = false;
    const body = await readBody(request);
    if (body === "broken") return void reply.destroy();
    if (body === "too large") {
      const why = `The body of ${method} ${path} is larger than ${MAX_BODY_MIB} MiB. It was not passed on.`;
      options.refused(why);
      return void reply.writeHead(413, { Connection: "close" }).end(`${why}\n`);
    }
    let recorded = false;
    const record = (ending: Pick<CapturedRequest, "status" | "error">) => {
      recorded = true;
      options.took({
        ...{ time, method, path, headers: storedHeaders(request.rawHeaders) },
        ...(isUtf8(body) ? { body: body.toString() } : { body: body.toString("base64"), base64: true }),
        ...ending,
      });
    };
    const fail = (error: Error) => {
      // What the answer has already begun with, its end shows.
      if (recorded) return void reply.destroy();
      const why = `${host} ${explain(error).detail ?? "did not answer in time"}.`;
      record({ status: 502, error: why });
      reply.writeHead(502, { "Content-Type": "text/plain; charset=utf-8" });
      reply.end(`sandglass capture: ${why} Start your server there, or name it with --forward-to.\n`);
    };
    try {
      const outgoing = forward(request, body);
      reply.on("close", () => {
        if (!recorded)
          record({ status: null, error: "The sender closed the connection before your server answered." });
        if (!reply.writableFinished) outgoing.destroy();
      });
      outgoing.on("error", fail);
      outgoing.on("response", (answer) => {
        record({ status: answer.statusCode! });
        reply.writeHead(answer.statusCode!, answer.statusMessage, passedHeaders(answer.rawHeaders));
        answer.on("error", fail).pipe(reply);
      });
      outgoing.end(body);
    } catch (error) {
      fail(error as Error);
    }
  }

  function forward(request: IncomingMessage, body: Buffer) {
    const headers = passedHeaders(request.rawHeaders);
    // The body is whole here, so its length replaces the chunks that it may have come in.
    if (body.length > 0 && request.headers["content-length"] === undefined)
      headers.push("Content-Length", String(body.length));
    return (secure ? loadHttps() : http).request({
      ...{ host: target.hostname.replace(/^\[|\]$/g, ""), port: target.port || undefined, lookup },
      ...(secure && trustedContext()),
      // A connection that was left open may be closed by the server while a request is on its way.
      agent: false,
      method: request.method,
      path: pathOf(request.url!),
      headers: headers as unknown as OutgoingHttpHeaders,
    });
  }

  function pathOf(path: string): string {
    if (target.pathname === "/" && target.search === "") return path;
    const query = path.indexOf("?");
    return target.pathname + (query < 0 ? target.search : path.slice(query));
  }

  const server = http.createServer((request, reply) => void pass(request, reply));
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(options.port, LOOPBACK, resolve);
  }).catch((error: NodeJS.ErrnoException) => {
    throw new SandboxError(
      "port_taken",
      error.code === "EADDRINUSE"
        ? `Port ${options.port} is taken by another program.`
        : `Cannot listen on port ${options.port}: ${error.message}.`,
      "Use another port, such as 4000, or 0 for any free one.",
    );
  });

  return {
    url: `http://${LOOPBACK}:${(server.address() as AddressInfo).port}`,
    /** Takes no more requests. Resolves once those under way have their answers. */
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeIdleConnections();
      }),
  };
}

/** The whole body, unless the sender breaks it off. */
async function readBody(request: IncomingMessage): Promise<Buffer | "broken" | "too large"> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of request) {
      size += chunk.length;
      if (size > MAX_BODY_MIB * 1024 ** 2) return "too large";
      chunks.push(chunk);
    }
  } catch {
    return "broken";
  }
  return Buffer.concat(chunks);
}

/** Names and values in turn, as Node has them. */
function pairs(raw: readonly string[]): [name: string, value: string][] {
  return Array.from({ length: raw.length / 2 }, (_, index) => [raw[2 * index]!, raw[2 * index + 1]!]);
}

const passedHeaders = (raw: readonly string[]): string[] =>
  pairs(raw).flatMap((pair) => (OF_CONNECTION.test(pair[0]) ? [] : pair));

function storedHeaders(raw: readonly string[]): Record<string, string> {
  const stored = new Map<string, string>();
  for (const [name, value] of pairs(raw))
    if (!UNSTORED.test(name)) stored.set(name, stored.has(name) ? `${stored.get(name)}, ${value}` : value);
  return Object.fromEntries(stored);
}
