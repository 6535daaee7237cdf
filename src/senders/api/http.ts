import type { FastifyRequest } from "fastify";
import { calledMethod } from "../../http/address.ts";
import { acceptBodies } from "../../http/body.ts";
import type { App } from "../../http/types.ts";
import type { SenderCall } from "./api.ts";
import { type ApiAnswer, writtenAnswer } from "./call.ts";
import { SENDERS } from "./name.ts";

interface Answering {
  callApi(name: string, request: SenderCall): Promise<ApiAnswer>;
}

/** Registers the senders' APIs under `/{name}`. They respond as the sender's file describes. */
export function senderRoutes(app: App, open: (request: FastifyRequest) => Answering): void {
  app.removeAllContentTypeParsers();
  acceptBodies(app, "*", (bytes) => bytes.toString());
  app.all("/:sender/*", async (request, reply) => {
    const { sender } = request.params as { sender: string };
    const { body, headers, url, protocol } = request;
    const host = headers["x-forwarded-host"] ?? headers.host;
    const answer = await open(request).callApi(sender, {
      method: calledMethod(request) === "HEAD" ? "GET" : request.method,
      url: url.replace(/^\/[^/]+\/[^/?]+/, ""),
      headers,
      at: `${protocol}://${host}/${SENDERS}/${sender}`,
      body: typeof body === "string" ? body : "",
    });
    const { status, headers: written, text } = writtenAnswer(answer);
    return reply.code(status).headers(written).send(text);
  });
}
