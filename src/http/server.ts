import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { notFound, SandboxError, SURFACE_HEADER, type Surface } from "../errors/errors.ts";
import type { AreaFace } from "./area.ts";
import { acceptBodies, bodyTooLarge, discardBody } from "./body.ts";
import { InvalidBody, readJsonObject } from "./json-body.ts";
import { areaOf, refusalAnswer, sandboxErrorBody } from "./refusals.ts";
import type { App, TypeBoxProvider } from "./types.ts";
import { schemaController } from "./validation.ts";

/** The maximum length of a name or id in a path. */
const MAX_PARAM_LENGTH = 500;

/**
 * Creates an app without routes. Parsing and validation are the same for every area. The app does not listen: see
 * front.ts.
 */
export function createApp(areas: readonly AreaFace[]): App {
  const app: App = Fastify({
    schemaController,
    exposeHeadRoutes: false,
    // Loading may take any amount of time. With the default limit of 10 s, starting would fail on a busy machine.
    pluginTimeout: 0,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    frameworkErrors: (error, request, reply) => refusePath(error, request, reply as FastifyReply, areas),
  }).withTypeProvider<TypeBoxProvider>();
  app.addHook("onSend", discardBody);
  acceptJson(app);
  return app;
}

/** Rejects a path that cannot be read, before any route is known. */
function refusePath(
  error: Error & { code?: string },
  { raw }: FastifyRequest,
  reply: FastifyReply,
  areas: readonly AreaFace[],
): void {
  const url = raw.url ?? "";
  const { status = 400, hint = "Encode a literal percent sign as %25." } =
    areaOf(url, areas)?.refusals.unreadablePath ?? {};
  const message =
    error.code === "FST_ERR_MAX_PARAM_LENGTH"
      ? `No such resource: a part of the path has more than ${MAX_PARAM_LENGTH} characters.`
      : "The path is not validly percent-encoded.";
  const { headers, body } = refusalAnswer({ status, message, hint }, url, areas);
  reply.code(status).headers(headers).send(body);
}

function acceptJson(app: App): void {
  app.removeAllContentTypeParsers();
  acceptBodies(app, "application/json", (bytes, { routeOptions }) =>
    readJsonObject(bytes, routeOptions.config.exactField),
  );
  acceptBodies(app, "*", (bytes, request) => {
    if (bytes.length > 0) throw new UnsupportedContentType(request.headers["content-type"] ?? "");
  });
}

/** The error for a content type that the area does not support. */
export class UnsupportedContentType extends Error {
  readonly statusCode = 415;
  readonly contentType: string;
  constructor(contentType: string) {
    super(`The content type '${contentType.slice(0, 80)}' is not supported: send application/json.`);
    this.contentType = contentType;
  }
}

/** Whether an error means that the call's world does not exist: it never existed, or it was removed during the call. */
export function isWithoutWorld(error: unknown): error is SandboxError {
  return error instanceof SandboxError && (error.code === "not_found" || error.code === "invalid_state");
}

export function sendSandboxError(reply: FastifyReply, error: SandboxError): FastifyReply {
  return reply.code(error.status).send(sandboxErrorBody(error, surfaceOf(reply.request)));
}

/** Responds to paths without a route with 404 and a hint. */
export function refuseUnknownPaths(app: App, none: string, hint: string): void {
  app.setNotFoundHandler((request, reply) => {
    const called = `${request.method} ${request.url.split("?")[0]!.slice(0, 120)}`;
    return sendSandboxError(reply, notFound(`There is ${none} ${called}.`, hint));
  });
}

/** Where the caller shows errors. Sandglass's own clients specify this; for all other callers, it is "http". */
function surfaceOf({ headers }: FastifyRequest): Surface {
  const surface = headers[SURFACE_HEADER];
  return surface === "command" || surface === "library" || surface === "page" ? surface : "http";
}

interface Explanation {
  kind: "content-type" | "size" | "body" | "request";
  message: string;
  /** The invalid field of the body, if there is one. */
  field?: string | undefined;
}

/**
 * Explains an error that the framework threw; undefined for a bug in our own code. @param limit the route's body size
 * limit in bytes
 */
export function explainFrameworkError(error: unknown, limit?: number): Explanation | undefined {
  if (error instanceof UnsupportedContentType) return { kind: "content-type", message: error.message };
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message: string };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") return { kind: "size", message: bodyTooLarge(limit) };
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return { kind: "content-type", message: "The content type is not supported: send application/json." };
  if (error instanceof InvalidBody) return { kind: "body", message, field: error.field };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { kind: "request", message: `${message}.` };
  return undefined;
}
