import type { IncomingMessage } from "node:http";
import Fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import { SandboxError, SURFACE_HEADER, type Surface } from "../errors/errors.ts";
import type { AreaFace } from "./area.ts";
import { createConnectionServer } from "./connections.ts";
import { InvalidBody, readJsonObject } from "./json-body.ts";
import { areaOf, refusalAnswer } from "./refusals.ts";
import type { App, TypeBoxProvider } from "./types.ts";
import { schemaController } from "./validation.ts";

/** Bodies may not be larger. Convention: "Addresses and transport". */
export const MAX_BODY_BYTES = 1024 * 1024;

/** Parts of a path that stand for a name or an id may not be longer, in characters. */
const MAX_PARAM_LENGTH = 500;

/** The world that is served without a prefix. */
export const DEFAULT_WORLD = "default";

const WORLD_PREFIX = /^\/w\/([^/?#]{1,200})(?=[/?#]|$)/;
const worldOf = Symbol("world");

/** The name of the world a request is for: `/w/{name}/…`, or the default one. */
export function requestedWorld(request: FastifyRequest): string {
  return (request.raw as Marked)[worldOf] ?? DEFAULT_WORLD;
}

/** Splits a URL into the world it is for and the rest: `/w/demo/platform` is `/platform` of the world `demo`. */
export function splitWorld(url: string): { world: string; rest: string } {
  const prefix = WORLD_PREFIX.exec(url);
  if (!prefix) return { world: DEFAULT_WORLD, rest: url };
  const rest = url.slice(prefix[0].length);
  return { world: safeDecode(prefix[1]!), rest: rest.startsWith("/") ? rest : `/${rest}` };
}

/** What a request's URL says before its route is looked for. */
type Marked = IncomingMessage & { [worldOf]?: string; [insideOf]?: true };

const insideOf = Symbol("inside");

/** Whether a request came through the door inside: the page's own, which takes no key. */
export function cameInside({ raw }: Pick<FastifyRequest, "raw">): boolean {
  return (raw as Marked)[insideOf] ?? false;
}

/**
 * Takes the world's prefix off a URL, and leads from the door inside to the area's routes, so that every route is
 * written once.
 */
function rewrite(areas: readonly AreaFace[]): (raw: Marked) => string {
  const doors = areas
    .filter(({ dashboard }) => dashboard !== undefined)
    .map(({ name, dashboard }) => ({ from: `/_sandbox/${name}/`, to: `/${name}${dashboard}/` }));
  return (raw) => {
    const { world, rest } = splitWorld(raw.url ?? "/");
    raw[worldOf] = world;
    const door = doors.find(({ from }) => rest.startsWith(from));
    if (!door) return rest;
    raw[insideOf] = true;
    return door.to + rest.slice(door.from.length);
  };
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The bare server: routing, bodies and validation, the same for every area. */
export function createHttpServer(areas: readonly AreaFace[]): App {
  const app: App = Fastify({
    schemaController,
    bodyLimit: MAX_BODY_BYTES,
    rewriteUrl: rewrite(areas),
    exposeHeadRoutes: true,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: MAX_PARAM_LENGTH },
    forceCloseConnections: true,
    serverFactory: (handle) => createConnectionServer(handle, { areas }),
    // The connection server answers these; Fastify's own handler would cut the connection before the answer is read.
    clientErrorHandler: () => undefined,
    frameworkErrors: (error, request, reply) => refusePath(error, request, reply as FastifyReply, areas),
  }).withTypeProvider<TypeBoxProvider>();
  acceptJson(app);
  return app;
}

/** A path that cannot be read; no route is found yet that could answer it. */
function refusePath(
  error: Error & { code?: string },
  { raw }: FastifyRequest,
  reply: FastifyReply,
  areas: readonly AreaFace[],
): void {
  const url = raw.url ?? "";
  const { status = 400, hint = "A percent sign itself is written %25." } =
    areaOf(url, areas)?.refusals.unreadablePath ?? {};
  const message =
    error.code === "FST_ERR_MAX_PARAM_LENGTH"
      ? `No such resource: a part of the path has more than ${MAX_PARAM_LENGTH} characters.`
      : "The path is not validly percent-encoded.";
  const { headers, body } = refusalAnswer({ status, message, hint }, url, areas);
  reply.code(status).headers(headers).send(body);
}

/** Reads JSON bodies; an empty one counts as none, whatever its content type says. */
function acceptJson(app: App): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) => {
    let parsed: object | undefined;
    try {
      parsed = body.length === 0 ? undefined : readJsonObject(body as Buffer);
    } catch (error) {
      return done(error as InvalidBody);
    }
    done(null, parsed);
  });
  app.addContentTypeParser("*", { parseAs: "buffer" }, (request, body, done) => {
    if (body.length === 0) return done(null, undefined);
    done(new UnsupportedContentType(request.headers["content-type"] ?? ""));
  });
}

/** A body in a form that the area does not read. */
export class UnsupportedContentType extends Error {
  readonly statusCode = 415;
  readonly contentType: string;
  constructor(contentType: string) {
    super(`The content type '${contentType.slice(0, 80)}' is not supported: send application/json.`);
    this.contentType = contentType;
  }
}

/** Whether a call's world is not there: it never was, or it ended while the call was under way. */
export function isWithoutWorld(error: unknown): error is SandboxError {
  return error instanceof SandboxError && (error.code === "not_found" || error.code === "invalid_state");
}

/** Sandglass's own error form: `{"error": {"code", "message", "hint"}}`. */
export function sendSandboxError(reply: FastifyReply, error: SandboxError): FastifyReply {
  return reply.code(error.status).send(sandboxErrorBody(error, surfaceOf(reply.request)));
}

export function sandboxErrorBody(error: SandboxError, surface: Surface = "http") {
  const { code, message } = error;
  return { error: { code, message, hint: error.hintFor(surface) } };
}

/** Where the caller shows an error. Sandglass's own clients say so; for any other caller it is HTTP. */
function surfaceOf({ headers }: FastifyRequest): Surface {
  const surface = headers[SURFACE_HEADER];
  return surface === "command" || surface === "library" ? surface : "http";
}

/** What a framework error means to a caller. */
interface Explanation {
  kind: "content-type" | "size" | "body" | "request";
  /** A sentence. */
  message: string;
  /** The field of the body that is at fault, when one is. */
  field?: string | undefined;
}

/** Explains a framework error; undefined for a fault of ours. */
export function explainFrameworkError(error: unknown): Explanation | undefined {
  if (error instanceof UnsupportedContentType) return { kind: "content-type", message: error.message };
  const { code, statusCode, message } = error as { code?: string; statusCode?: number; message: string };
  if (code === "FST_ERR_CTP_BODY_TOO_LARGE") {
    return {
      kind: "size",
      message: `The request body is larger than the limit of ${MAX_BODY_BYTES} bytes (1 MiB).`,
    };
  }
  if (code === "FST_ERR_CTP_INVALID_MEDIA_TYPE")
    return { kind: "content-type", message: "The content type is not supported: send application/json." };
  if (error instanceof InvalidBody) return { kind: "body", message, field: error.field };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { kind: "request", message: `${message}.` };
  return undefined;
}
