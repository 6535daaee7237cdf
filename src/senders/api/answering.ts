import { isDeepStrictEqual } from "node:util";
import type { SenderApi } from "../../webhooks/sender-api.ts";
import { type Answered, type ApiAnswer, type ApiCall, type ApiState, Refused, refusal } from "./call.ts";
import { type Fields, fieldAt, readParameters } from "./fields.ts";
import { answerRead } from "./reads.ts";
import { findRoute, readRoute, routesOf } from "./routes.ts";
import { answerWrite } from "./writes.ts";

/** An API request, however it was received. */
export interface ApiRequest {
  method: string;
  /** The URL relative to the API's address, with its query. */
  url: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: string;
}

export interface PastCall {
  name: string;
  /** The parameters in the request body. */
  sent: Fields;
  answer: ApiAnswer;
}

/** An API's calls so far, and the objects that result from them. */
export interface ApiRecords {
  /** The current objects and everything else that responses are built from. */
  state(): Omit<ApiState, "times">;
  /** Earlier calls with the same method and path. */
  alike(name: string): PastCall[];
  /** The earlier call with this idempotency key. */
  ofKey(key: string): PastCall | undefined;
  record(call: PastCall, answered: Answered, key: string | null): void;
}

/** The GraphQL module, loaded only for APIs that use GraphQL. */
export type GraphQl = typeof import("./graphql.ts");

/** The idempotency header, unless the file specifies another. */
const USUAL_KEY = "Idempotency-Key";

/** Responds to a call according to a file, and records the changes it makes. */
export function answerApi(
  api: SenderApi,
  request: ApiRequest,
  records: ApiRecords,
  graphql?: GraphQl,
): ApiAnswer {
  const call = readCall(api, request);
  const { method, path, body: sent } = call;
  const name = `${method} ${path}`;
  const isSame = (past: PastCall, name: string) =>
    past.name === name && isDeepStrictEqual(past.sent, JSON.parse(JSON.stringify(sent)));
  const stateOf = (name: string): ApiState => ({
    ...records.state(),
    times: () => records.alike(name).filter((past) => isSame(past, name)).length,
  });
  const record = (name: string, answered: Answered, key: string | null): void =>
    records.record({ name, sent, answer: answered.answer }, answered, key);
  if (graphql && readRoute(`POST ${api.graphql!.path}`)!.path.test(path) && method === "POST")
    return graphql.answerGraphQl(api.graphql!, call, stateOf, (field, answered) =>
      record(field, answered, null),
    );
  const key = keyOf(api, request, sent);
  const earlier = key === null || method === "GET" ? undefined : records.ofKey(key);
  if (earlier)
    return isSame(earlier, name)
      ? earlier.answer
      : refusal(api, 400, "idempotency_error", `The key ${key} was already used for a different call.`);
  const answered = answerCall(name, call, stateOf(name));
  record(name, answered, key);
  return answered.answer;
}

/** Whether the file describes a call. */
export function describes(api: SenderApi, request: ApiRequest): boolean {
  const call = readCall(api, request);
  const isGraphql = api.graphql !== undefined && call.path === api.graphql.path;
  return isGraphql || findRoute(routesOf(api), call) !== undefined;
}

/** A call's idempotency key. */
export function keyOf(
  { idempotency = USUAL_KEY }: SenderApi,
  { headers }: ApiRequest,
  parameters: Fields,
): string | null {
  const key = idempotency.startsWith("body.")
    ? fieldAt(parameters, idempotency.slice("body.".length))
    : headers[idempotency.toLowerCase()];
  return key === undefined ? null : String(key);
}

/** Parses a request. Its path may start with the path of the sender's own API. */
function readCall(api: SenderApi, { method, url, body }: ApiRequest): ApiCall {
  const { pathname, search } = new URL(url, "http://localhost");
  const { pathname: base } = new URL(api.base);
  const path = base !== "/" && pathname.startsWith(`${base}/`) ? pathname.slice(base.length) : pathname;
  return { method, path, query: readParameters(search.slice(1)), body: readParameters(body) };
}

function answerCall(name: string, call: ApiCall, state: ApiState): Answered {
  const { api } = state;
  const found = findRoute(routesOf(api), call);
  if (!found) return { answer: refusal(api, 404, "unknown_call", `There is no ${name}.`), unknown: name };
  try {
    const { route, params } = found;
    return route.write
      ? answerWrite({ route, rule: route.write, params, call, name }, state)
      : answerRead({ route, rule: route.read!, params, call, name }, state);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { answer, unknown } = error;
    return { answer, ...(unknown !== undefined && { unknown }) };
  }
}
