import type { SenderApi, WriteRule } from "../../webhooks/sender-api.ts";
import { type Signing, timeText } from "../../webhooks/signing.ts";
import { type Fields, fieldAt, fill, type Lookup } from "./fields.ts";
import type { ApiRoute } from "./routes.ts";
import type { Change, Truth } from "./truth.ts";

export interface ApiCall {
  method: string;
  /** The path without the base URL's path and without the query. */
  path: string;
  query: Fields;
  body: Fields;
}

export interface ApiAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Strings are sent as they are, everything else as JSON. */
  body: unknown;
}

/** What a call does, described in the terms of the file. */
export interface Deed {
  /** The group that the effect belongs to, such as `mail`; undefined for the API's own effects. */
  as?: string | undefined;
  key: string;
  thing: string;
  done: string;
  /** The parameters of the call that belong to the effect. */
  fields: Fields;
}

export interface Answered {
  answer: ApiAnswer;
  effect?: { kind: string | null; params: Fields; changes: Change[]; deeds: Deed[] };
  /** A call or parameter that the file does not describe. */
  unknown?: string;
}

/** The state that a response is built from. */
export interface ApiState {
  api: SenderApi;
  truth: Truth;
  /** The current time in the sender's format. */
  time: string | number;
  /** Whether an event or object mentions an id, which means that the sender knows it. */
  mentions(id: string): boolean;
  /** How many times the same call was made before. */
  times(): number;
}

/** A call, and the rule for it in the file. */
export interface Routed<Rule> {
  route: ApiRoute;
  rule: Rule;
  params: Record<string, string>;
  call: ApiCall;
  /** The call's method and path. */
  name: string;
}

/** Thrown to respond to a call with an error. */
export class Refused extends Error {
  readonly answer: ApiAnswer;
  readonly unknown: string | undefined;
  constructor(answer: ApiAnswer, unknown?: string) {
    super();
    this.answer = answer;
    this.unknown = unknown;
  }
}

/** An error in the sender's format. */
export function refusal(api: SenderApi, status: number, code: string, message: string): ApiAnswer {
  const form = api.errors[status] ?? api.error;
  const places: Fields = { status, code, message };
  return {
    status: status === 429 || status >= 500 ? status : (api.status ?? status),
    body: fill(form, (place) => places[place]),
  };
}

/** An instant in an API's format. @param at milliseconds */
export function timeAs(unit: Signing["time"], at: number): string | number {
  const text = timeText(unit, at);
  return unit === "iso" ? text : Number(text);
}

/** Serializes a response. */
export function writtenAnswer({ status, headers = {}, body }: ApiAnswer) {
  const isText = typeof body === "string" || body === undefined;
  const type = isText ? "text/plain; charset=utf-8" : "application/json";
  const text = isText ? (body ?? "") : JSON.stringify(body);
  return { status, headers: { ...(text !== "" && { "content-type": type }), ...headers }, text };
}

/**
 * A rule's response for an object or list.
 * @param status the response's status, unless the rule specifies one
 */
export function shaped(
  { answer, headers, status = 200 }: Pick<WriteRule, "answer" | "headers" | "status">,
  it: unknown,
  lookup: Lookup,
): ApiAnswer {
  const places: Lookup = (place) => (place === "it" ? it : (fieldAt({ it }, place) ?? lookup(place)));
  return {
    status,
    ...(headers && { headers: fill(headers, places) as Record<string, string> }),
    body: answer === undefined ? it : fill(answer, places),
  };
}

/**
 * Looks up the values of a template's placeholders: first in the path, then in the call's parameters. It also looks up
 * fields of an object by the object's id.
 */
export function lookupIn({ truth, time }: ApiState, params: Record<string, string>, said: Fields): Lookup {
  return (place) => {
    if (place === "time") return time;
    const [name = "", ...rest] = place.split(".");
    const value = params[name] ?? said[name];
    if (rest.length === 0) return value;
    const object = typeof value === "string" ? truth.byId(value) : value;
    return fieldAt(object, rest.join("."));
  };
}
