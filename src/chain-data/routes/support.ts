import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import { explainFrameworkError, isWithoutWorld } from "../../http/server.ts";
import { clip } from "../../http/violation-text.ts";
import type { Resource } from "../answers.ts";
import { cacheHeaders, errorHeaders } from "../cache-headers.ts";
import type { ChainData } from "../chain-data.ts";
import { DataError, type ErrorKey } from "../errors.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The called world's chain data, set before any of the area's handlers run. */
    chainData: ChainData;
  }
  interface FastifyContextConfig {
    /** The key for error messages on this chain-data route; `message` by default. */
    errorKey?: ErrorKey;
  }
}

const JSON_TYPE = "application/json; charset=utf-8";

export async function sendAnswer<Asked, Row>(
  request: FastifyRequest,
  reply: FastifyReply,
  resource: Resource<Asked, Row>,
  asked: Asked,
): Promise<FastifyReply> {
  const answer = await resource.answer(asked);
  const text = resource.text(answer, asked);
  return reply.headers(cacheHeaders(answer, request.chainData.world.clock.now())).type(JSON_TYPE).send(text);
}

/** Sends any error in the area's own format. */
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
    `There is nothing at ${request.method} ${path}. GET openapi.json lists this area's routes.`,
  );
  return sendDataError(error, request, reply);
}
