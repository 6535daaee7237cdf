import type { FastifyReply, FastifyRequest } from "fastify";
import { SandboxError } from "../../errors/errors.ts";
import { calledMethod, cameInside } from "../../http/address.ts";
import type { Caller } from "../../http/caller.ts";
import { explainFrameworkError, isWithoutWorld, sendSandboxError } from "../../http/server.ts";
import { standingOf } from "../../http/standing.ts";
import type { App } from "../../http/types.ts";
import { hintAtUnknownFields, hintAtUnknownParameters } from "../../http/unknown-input.ts";
import { ValidationError } from "../../http/validation.ts";
import { clip } from "../../http/violation-text.ts";
import { asPlatformError, PlatformError } from "../errors.ts";
import type { IdempotentRequest } from "../idempotency.ts";
import { PLATFORM } from "../name.ts";
import { ANONYMOUS } from "../organizations.ts";
import type { Payments } from "../payments.ts";
import { KEYLESS_RATE_LIMIT } from "../rate-limit.ts";
import type { ApiKeyRow } from "../rows.ts";
import { platformViolation } from "../violations.ts";

declare module "fastify" {
  interface FastifyRequest {
    /** The payments platform of the requested world, and the caller. Both are set before a handler runs. */
    payments: Payments;
    caller: Caller;
    idempotent: IdempotentRequest | null;
  }
  interface FastifyContextConfig {
    /** Whether the route also accepts requests without an API key, on behalf of the anonymous organization. */
    keyOptional?: boolean;
  }
}

/** Selects the organization for dashboard requests; defaults to the first one. */
const ORGANIZATION_HEADER = "x-sandbox-organization";

const READ_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/** Checks the key, the rate limit, the permission and the idempotency key, in this order, before the body is read. */
export function guardApi(app: App): void {
  app.decorateRequest("idempotent", null);

  // These hooks use callbacks: they run for every call, and a promise would cost more than the work itself.
  app.addHook("onRequest", (request, reply, done) => {
    // Reject unknown paths first, because they have no caller.
    if (request.is404) return done(unknownRoute(request));
    if (cameInside(request)) {
      request.caller = callerOf(dashboardOrganization(request), request);
      return done();
    }
    hintAtUnknownParameters(request, reply);
    const { payments } = request;
    const key = identify(request);
    if (!key) {
      request.caller = callerOf(ANONYMOUS.id, request);
      reply.headers(payments.rateLimit.take(`ip ${request.caller.ip}`, KEYLESS_RATE_LIMIT));
      return done();
    }
    reply.headers(payments.rateLimit.take(key.id));
    if (key.permission === "read" && !READ_METHODS.has(request.method)) {
      throw new PlatformError(
        "insufficient_permissions",
        `This API key can only read; ${request.method} needs a key with write permission.`,
      );
    }
    request.caller = callerOf(key.org, request);
    done();
  });

  app.addHook("preValidation", (request, reply, done) => {
    hintAtUnknownFields(request, reply);
    const key = request.headers["idempotency-key"];
    if (key === undefined || (request.method !== "POST" && request.method !== "PATCH") || cameInside(request))
      return done();
    const { idempotency } = request.payments;
    const text = [key].flat().join(",");
    idempotency.checkKey(text);
    const call = {
      org: request.caller.org,
      key: text,
      method: request.method,
      path: request.url.split("?")[0]!,
      body: request.body,
    };
    const earlier = idempotency.begin(call);
    if (earlier) {
      reply
        .code(earlier.status)
        .header("idempotent-replayed", "true")
        .type("application/json; charset=utf-8");
      reply.send(earlier.body);
      return;
    }
    request.idempotent = call;
    done();
  });

  app.addHook("onSend", (request, _reply, payload, done) => {
    if (request.idempotent) request.payments.idempotency.end(request.idempotent, undefined);
    done(null, payload);
  });
}

/** The API key that a request was sent with; undefined if it has none and the route allows that. */
function identify(request: FastifyRequest): ApiKeyRow | undefined {
  try {
    return request.payments.apiKeys.authenticate(request.headers);
  } catch (error) {
    const missing = error instanceof PlatformError && error.code === "key_missing";
    if (missing && request.routeOptions.config.keyOptional) return undefined;
    throw error;
  }
}

/** The organization for a dashboard request: the one that the request names, or the first. */
function dashboardOrganization({ headers, payments }: FastifyRequest): string {
  const named = headers[ORGANIZATION_HEADER];
  const { organizations } = payments;
  const organization =
    named === undefined ? organizations.main() : organizations.list().find(({ id }) => id === named);
  if (organization) return organization.id;
  throw new PlatformError("resource_not_found", `No such organization: ${clip(String(named))}.`);
}

/**
 * Makes a change and responds with the result. It is synchronous because it runs for every change. The change and its
 * stored response are one transaction, so a replay never repeats it.
 */
export function change(
  request: FastifyRequest,
  reply: FastifyReply,
  status: 200 | 201,
  work: () => unknown,
): void {
  const { store } = request.payments.world;
  sendJson(
    reply,
    status,
    store.transaction(() => storeAnswer(request, status, JSON.stringify(work()))),
  );
}

/** Like `change`, for changes that must wait for a subscriber. */
export async function changeLater(
  request: FastifyRequest,
  reply: FastifyReply,
  work: () => Promise<unknown>,
): Promise<FastifyReply> {
  const body = JSON.stringify(await work());
  return sendJson(
    reply,
    200,
    request.payments.world.store.transaction(() => storeAnswer(request, 200, body)),
  );
}

function storeAnswer(request: FastifyRequest, status: number, body: string): string {
  if (request.idempotent) {
    request.payments.idempotency.end(request.idempotent, { status, body });
    request.idempotent = null;
  }
  return body;
}

function sendJson(reply: FastifyReply, status: number, body: string): FastifyReply {
  return reply.code(status).type("application/json; charset=utf-8").send(body);
}

/** Sends any error from this area in the platform's format. */
export function sendPlatformError(
  error: unknown,
  _request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  // Only the page's own calls can get this error. They are control API calls, so use that API's format.
  if (error instanceof SandboxError && error.code === "forbidden") return sendSandboxError(reply, error);
  const translated = translate(error);
  return reply.code(translated.status).headers(translated.headers).send(translated.body());
}

function translate(error: unknown): PlatformError {
  const refusal = asPlatformError(error);
  if (refusal) return refusal;
  if (isWithoutWorld(error))
    return new PlatformError("resource_not_found", `${error.message} ${error.hintFor("http")}`);
  if (error instanceof ValidationError) return platformViolation(error.violation);
  const malformed = explainFrameworkError(error);
  if (malformed)
    return new PlatformError(
      "invalid_field_value",
      malformed.message,
      malformed.kind === "content-type" ? "Content-Type" : clip(malformed.field ?? "body"),
    );
  if (error instanceof SandboxError)
    return new PlatformError("internal_error", `${error.message} ${error.hintFor("http")}`);
  console.error(error);
  return new PlatformError(
    "internal_error",
    "An unexpected error occurred in the sandbox; its log has the details.",
  );
}

export function unknownRoute(request: FastifyRequest): PlatformError {
  const path = clip(request.url.split("?")[0]!, 120);
  return new PlatformError("resource_not_found", `No such endpoint: ${calledMethod(request)} ${path}.`);
}

/** Rejects HEAD requests for pages that change something when opened, because HEAD must not change anything. */
export function notByHead(
  request: FastifyRequest,
  _reply: FastifyReply,
  done: (error?: Error) => void,
): void {
  done(calledMethod(request) === "HEAD" ? unknownRoute(request) : undefined);
}

const callerOf = (org: string, request: FastifyRequest): Caller => ({
  org,
  // Clients on a local socket have no IP address.
  ip: plainIp(request.ip ?? "127.0.0.1"),
  method: request.method,
  path: apiPath(request),
  // Calls from Sandglass's own page have already been checked.
  guest: cameInside(request) ? undefined : standingOf(request).guest,
});

const BASE = `/${PLATFORM}`;

/** The path within the area without the query, as shown in list envelopes and audit events. */
export function apiPath({ url }: Pick<FastifyRequest, "url">): string {
  const end = url.indexOf("?");
  const start = url.startsWith(BASE) ? BASE.length : 0;
  return url.slice(start, end === -1 ? undefined : end);
}

function plainIp(ip: string): string {
  return ip.startsWith("::ffff:") ? ip.slice(7) : ip;
}
