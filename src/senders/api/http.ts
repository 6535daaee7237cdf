import type { FastifyRequest } from "fastify";
import { calledMethod } from "../../http/address.ts";
import { acceptBodies } from "../../http/body.ts";
import type { App } from "../../http/types.ts";
import type { ApiRequest } from "./api.ts";
import type { ApiAnswer } from "./call.ts";
import { SENDERS } from "./name.ts";

interface Answering {
  callApi(name: string, request: ApiRequest): Promise<ApiAnswer>;
}

/** Registers the APIs of senders, below `/{name}`: each call is answered according to the sender's file. */
export function senderRoutes(app: App, open: (request: FastifyRequest) => Answering): void {
  app.removeAllContentTypeParsers();
  acceptBodies(app, "*", (bytes) => bytes.toString());
  app.all("/:sender/*", async (request, reply) => {
    const { sender } = request.params as { sender: string };
    const { body, headers, url, protocol } = request;
    const host = headers["x-forwarded-host"] ?? headers.host;
    const { status, body: answer } = await open(request).callApi(sender, {
      method: calledMethod(request) === "HEAD" ? "GET" : request.method,
      url: url.replace(/^\/[^/]+\/[^/?]+/, ""),
      headers,
      at: `${protocol}://${host}/${SENDERS}/${sender}`,
      body: typeof body === "string" ? body : "",
    });
    return reply.code(status).type("application/json").send(JSON.stringify(answer));
  });
}
