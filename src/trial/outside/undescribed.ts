import type { IncomingHttpHeaders } from "node:http";
import { readJson } from "../../webhooks/body-text.ts";
import type { Json } from "../subject/differences.ts";
import { placeText } from "./hosts.ts";
import type { Effect, ServiceAnswer, ServiceCall } from "./services.ts";

/** How undescribed hosts respond, and what calls to them change. */

/** The response to a call to an undescribed host. */
export const EMPTY_ANSWER = "200 {}";

const CHANGES = ["POST", "PUT", "PATCH", "DELETE"];
const KEY_HEADER = /^(?:x-)?idempotency-?key$/;
const GRPC = /^application\/grpc/;
/** gRPC methods that only read, identified by the last part of their path. */
const GRPC_READ = /\/(?:batch)?(?:get|list|read|query|search|watch|listen|check|describe|fetch|count)\w*$/i;
const FORM = "application/x-www-form-urlencoded";
const MULTIPART = /^multipart\/[^;]+;.*\bboundary=("?)([^";]+)\1/i;
const TEXT = /^(?:text\/|application\/(?:[\w.+-]*(?:json|xml|javascript|graphql|x-ndjson)))/;

export function answerUndescribed(call: ServiceCall): ServiceAnswer {
  const effect = effectOf(call);
  return {
    status: 200,
    headers: { "content-type": "application/json" },
    body: call.method === "HEAD" ? "" : "{}",
    effects: effect ? [effect] : [],
  };
}

export function effectOf({ place, method, path, headers, body }: ServiceCall): Effect | undefined {
  const [pathname = "/", query] = path.split(/\?(.*)/s);
  const sent = bodyOf(body, headers["content-type"] ?? "");
  if (!CHANGES.includes(method) || isRead(pathname, headers, sent)) return undefined;
  const service = placeText(place);
  return {
    service,
    key: `${method} ${pathname}`,
    words: { thing: `${method} ${service}${pathname}`, done: "made" },
    fields: query ? { query: Object.fromEntries(new URLSearchParams(query)), body: sent } : sent,
    idempotencyKey: idempotencyKeyIn(headers),
  };
}

export function idempotencyKeyIn(headers: IncomingHttpHeaders): string | undefined {
  const name = Object.keys(headers).find((one) => KEY_HEADER.test(one));
  return name === undefined ? undefined : String(headers[name]);
}

/** Whether a call changes nothing despite its method: a GraphQL or gRPC query, or a token request. */
function isRead(path: string, headers: IncomingHttpHeaders, sent: Json): boolean {
  if (GRPC.test(headers["content-type"] ?? "")) return GRPC_READ.test(path);
  const { query, grant_type: grant } = Object(sent) as { query?: unknown; grant_type?: unknown };
  if (grant !== undefined) return true;
  return typeof query === "string" && /^\s*(?:#.*\n\s*)*(?:query\b|fragment\b|\{)/.test(query);
}

/** The comparable form of a body: its JSON value, its form fields or its text; null for an empty body. */
export function bodyOf(body: Buffer, type: string): Json {
  if (body.length === 0) return null;
  const text = body.toString("utf8");
  if (type.startsWith(FORM)) return Object.fromEntries(new URLSearchParams(text));
  const [, , boundary] = MULTIPART.exec(type) ?? [];
  if (boundary !== undefined) return partsOf(text, boundary);
  return readJson(text) ?? (TEXT.test(type) || isText(body, text) ? text : body.toString("base64"));
}

const isText = (body: Buffer, text: string): boolean => Buffer.from(text, "utf8").equals(body);

/** The parts of a multipart form by name, without the random boundary. */
const partsOf = (text: string, boundary: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(`--${boundary}`)
      .slice(1, -1)
      .map((part, index) => {
        const [head = "", value = ""] = part.split(/\r?\n\r?\n(.*)/s);
        return [/\bname="([^"]*)"/i.exec(head)?.[1] ?? String(index), value.replace(/\r?\n$/, "")];
      }),
  );
