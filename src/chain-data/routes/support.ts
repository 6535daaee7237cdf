import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import { explainFrameworkError, isWithoutWorld } from "../../http/server.ts";
import { clip } from "../../http/violation-text.ts";
import type { Answer } from "../answers.ts";
import { cacheHeaders, errorHeaders, type Served } from "../cache-headers.ts";
import type { ChainData } from "../chain-data.ts";
import { DataError, type ErrorKey } from "../errors.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The chain data of the world that is called, set before any handler of the area. */
    chainData: ChainData;
  }
  interface FastifyContextConfig {
    /** The key under which this route of the chain-data area sends an error's message; `message` by default. */
    errorKey?: ErrorKey;
  }
}

const JSON_TYPE = "application/json; charset=utf-8";

/** The source of a route's answers. */
interface Resource<Asked, Row> {
  answer(asked: Asked): Answer<Row> | Promise<Answer<Row>>;
  text(answer: Answer<Row>, asked: Asked): string;
}

/**
 * Answers a request: at once if the cache has the answer, else when the providers have answered. It makes no promise
 * unless one is needed: every call passes through here.
 */
export function sendAnswer<Asked, Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Resource<Asked, Row>,
  read: () => Asked,
): Promise<void> | undefined {
  const { recent } = request.chainData;
  const words = `${request.headers.host} ${request.url}`;
  const cached = recent.get(words);
  if (cached) {
    send(request, reply, { head: cached.stored, state: "HIT", stored: false, collapsed: false }, cached.text);
    return undefined;
  }
  const asked = read();
  const finish = (answer: Answer<Row>): void => {
    const text = Buffer.from(resource.text(answer, asked));
    if (answer.fresh) recent.add(words, { stored: answer.fresh, text });
    send(request, reply, answer, text);
  };
  const answer = resource.answer(asked);
  if (answer instanceof Promise) return answer.then(finish);
  finish(answer);
  return undefined;
}

function send(request: FastifyRequest, reply: FastifyReply, served: Served, text: Buffer): void {
  reply.headers(cacheHeaders(served, request.chainData.world.clock.now())).type(JSON_TYPE).send(text);
}

/** Sends any error in the area's own form. */
export function sendDataError(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { status, message, headers } = translate(error);
  const key = request.routeOptions.config?.errorKey ?? "message";
  return reply
    .code(status)
    .headers({ ...errorHeaders("detail=not-asked"), ...headers })
    .send({ [key]: message });
}

function translate(error: unknown): DataError {
  if (error instanceof DataError) return error;
  if (error instanceof SandboxError)
    return new DataError(isWithoutWorld(error) ? 404 : 500, `${error.message} ${error.hintFor("http")}`);
  const refusal = explainFrameworkError(error);
  if (refusal) return new DataError(400, refusal.message);
  console.error(error);
  return new DataError(500, "An unexpected error occurred in the sandbox; its log has the details.");
}

export function sendUnknownRoute(request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const path = clip(request.url.split("?")[0]!, 120);
  const error = new DataError(
    404,
    `There is nothing at ${request.method} ${path}. GET openapi.json in this area lists what is.`,
  );
  return sendDataError(error, request, reply);
}
