import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import { pathBelow } from "../../http/address.ts";
import { explainFrameworkError, isWithoutWorld } from "../../http/server.ts";
import { ValidationError } from "../../http/validation.ts";
import { clip, violationMessage } from "../../http/violation-text.ts";
import { badRequest, GameError, notFound } from "../errors.ts";
import type { GameArea } from "../game.ts";
import { MAX_BODY_BYTES } from "../limits.ts";
import { GAME } from "../name.ts";
import { CALLED_PATHS } from "../operations/index.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The called world's game launcher, set before any of the area's handlers run. */
    game: GameArea;
  }
}

export const ACTIVITIES_PATH = "/activities";

export function sendGameError(error: unknown, _request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const translated = translate(error);
  return reply.code(translated.code).headers(translated.headers).send(translated.body());
}

function translate(error: unknown): GameError {
  if (error instanceof GameError) return error;
  if (error instanceof ValidationError) return badRequest(violationMessage(error.violation));
  if (isWithoutWorld(error)) return notFound(`${error.message} ${error.hintFor("http")}`);
  const refusal = explainFrameworkError(error, MAX_BODY_BYTES);
  if (refusal?.kind === "body")
    return badRequest(`${refusal.message} Send the fields as one JSON object, under any content type.`);
  if (refusal) return badRequest(refusal.message);
  if (error instanceof SandboxError)
    return new GameError("GeneralError", `${error.message} ${error.hintFor("http")}`);
  console.error(error);
  return new GameError(
    "GeneralError",
    "An unexpected error occurred in the sandbox; its log has the details.",
  );
}

/** The error for a request without a route: the path requires another HTTP method, or does not exist. */
export function unknownRoute({ method, url }: FastifyRequest): GameError {
  const path = gamePath(url);
  const allowed = path === ACTIVITIES_PATH ? "GET" : CALLED_PATHS.has(path) ? "POST" : undefined;
  if (allowed === undefined)
    return notFound(
      `There is nothing at ${method} ${clip(url.split("?")[0]!, 120)}. GET openapi.json lists this area's routes.`,
    );
  return new GameError("MethodNotAllowed", `${method} is not allowed here: use ${allowed}.`, {
    headers: { allow: `${allowed}, OPTIONS` },
  });
}

/** The path below the area's base, without the query or a trailing slash. */
export const gamePath = (url: string): string => pathBelow(`/${GAME}`, url).replace(/(?<=.)\/$/, "");
