import { decoded } from "../../runtime/redact.ts";
import type { ReadRule, SenderApi, WriteRule } from "../../webhooks/sender-api.ts";
import { type Fields, matches } from "./fields.ts";

export interface ApiRoute {
  /** The pattern as written in the file, without the method. */
  pattern: string;
  method: string;
  path: RegExp;
  /** Query parameters that the URL must have. */
  query: Record<string, string>;
  read?: ReadRule;
  write?: WriteRule;
}

const CALL = /^(GET|POST|PUT|PATCH|DELETE) (\/[^\s?]*)(?:\?(\S+))?$/;
/** In the pattern's path, `{id}` matches one segment, and `{+path}` matches the rest. */
const PARAMETER = /\{(\+?)(\w+)\}/g;

/** Parses a call such as `GET /v1/orders/{id}` or `POST /v1/orders?wait=true`; undefined for any other string. */
export function readRoute(
  written: string,
): Pick<ApiRoute, "pattern" | "method" | "path" | "query"> | undefined {
  const [, method, pattern, query = ""] = CALL.exec(written) ?? [];
  if (method === undefined || pattern === undefined) return undefined;
  const literal = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, "\\$&");
  const names: string[] = [];
  let source = "";
  let end = 0;
  for (const { 0: text, 1: rest, 2: name, index } of pattern.matchAll(PARAMETER)) {
    if (names.includes(name!)) return undefined;
    names.push(name!);
    source += `${literal(pattern.slice(end, index))}(?<${name}>${rest ? ".+" : "[^/]+"})`;
    end = index + text.length;
  }
  const last = literal(pattern.slice(end));
  if (/[{}]/.test(pattern.replaceAll(PARAMETER, ""))) return undefined;
  return {
    ...{ method, pattern, path: new RegExp(`^${source}${last}$`) },
    query: Object.fromEntries(new URLSearchParams(query)),
  };
}

/** The calls described in a file, with more specific ones first: calls without placeholders, and calls with a query. */
export function routesOf(api: SenderApi): readonly ApiRoute[] {
  const reads = Object.entries(api.reads).map(([call, rule]) => ({
    ...readRoute(call)!,
    read: typeof rule === "string" ? { one: rule } : rule,
  }));
  const writes = Object.entries(api.writes).map(([call, write]) => ({ ...readRoute(call)!, write }));
  const count = ({ pattern, query }: ApiRoute) =>
    (pattern.match(PARAMETER)?.length ?? 0) - Object.keys(query).length / 100;
  return [...reads, ...writes].toSorted((one, other) => count(one) - count(other));
}

export function findRoute(
  routes: readonly ApiRoute[],
  { method, path, query }: { method: string; path: string; query: Fields },
) {
  for (const route of routes) {
    const isAsked = route.method === method && matches(query, route.query);
    const found = isAsked ? route.path.exec(path) : null;
    if (found) return { route, params: decodedAll(found.groups ?? {}) };
  }
  return undefined;
}

const decodedAll = (groups: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, decoded(value)]));
