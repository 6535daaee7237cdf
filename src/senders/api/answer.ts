import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../webhooks/body-text.ts";
import { idLike } from "../../webhooks/example.ts";
import type { ReadRule, SenderApi, WriteRule } from "../../webhooks/sender-api.ts";
import { applied, type Fields, fieldAt, fill, type Lookup, matches } from "./fields.ts";
import { type ApiRoute, findRoute, routesOf } from "./routes.ts";
import type { Change, Truth } from "./truth.ts";

/** A call of a sender's API. */
export interface ApiCall {
  method: string;
  /** Without the base and the query. */
  path: string;
  query: Fields;
  body: Fields;
}

export interface ApiAnswer {
  status: number;
  body: unknown;
}

/** An answer, and what came of the call. */
export interface Answered {
  answer: ApiAnswer;
  /** What a write did. */
  effect?: { rule: string; kind: string | null; params: Fields; changes: Change[] };
  /** What the file does not describe: the call, or a parameter of it. */
  unknown?: string;
}

/** What an answer is made from. */
export interface ApiState {
  api: SenderApi;
  truth: Truth;
  /** Now, as the sender writes times. */
  time: string | number;
  /** Whether an event or an object names an id, so that the sender has something with it. */
  mentions(id: string): boolean;
  /** How often the same call was made before. */
  times(): number;
}

class Refused extends Error {
  readonly answer: ApiAnswer;
  readonly unknown: string | undefined;
  constructor(answer: ApiAnswer, unknown?: string) {
    super();
    this.answer = answer;
    this.unknown = unknown;
  }
}

const MOST_EXPANDED = 4;
const DEFAULT_LIMIT = 100;

/** An error in the sender's form. */
export function refusal(api: SenderApi, status: number, code: string, message: string): ApiAnswer {
  const form = api.errors[status] ?? api.error;
  const places: Fields = { status, code, message };
  return {
    status: status === 429 || status >= 500 ? status : (api.status ?? status),
    body: fill(form, (place) => places[place]),
  };
}

/** Answers a call as the file describes it. */
export function answerCall(call: ApiCall, state: ApiState): Answered {
  const { api } = state;
  const name = `${call.method} ${call.path}`;
  const found = findRoute(routesOf(api), call.method, call.path);
  if (!found) {
    const answer = refusal(api, 404, "unknown_call", `There is no ${name}.`);
    return { answer, unknown: name };
  }
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

interface Routed<Rule> {
  route: ApiRoute;
  rule: Rule;
  /** Of the path. */
  params: Record<string, string>;
  call: ApiCall;
  /** The call's method and path. */
  name: string;
}

function answerRead({ route, rule, params, call, name }: Routed<ReadRule>, state: ApiState): Answered {
  const { api } = state;
  const { expand, ignores, limit, after } = api;
  const lookup = lookupIn(state, params, { ...call.query, ...call.body });
  const isList = rule.list !== undefined;
  const objects = isList ? listed(rule, params, lookup, state) : [];
  const known = [expand, ...ignores, ...(isList ? [limit, after] : [])];
  const filters = Object.entries(call.query).filter(([parameter]) => !known.includes(parameter));
  const all = isList ? state.truth.all(rule.list!) : [];
  const unknown = filters.find(
    ([parameter, value]) => isObject(value) || !all.some((one) => parameter in one),
  );
  const it = isList
    ? page(objects, filters, { call, api, rule })
    : rule.one === undefined
      ? undefined
      : findOne(rule.one, rule.by, { params, lookup, name, state });
  const wanted = [call.query[expand ?? ""]].flat().filter((path) => typeof path === "string");
  const body = wanted.reduce(
    (value: unknown, path) => expanded(value, path.split("."), { route, params, state }),
    it,
  );
  return {
    answer: { status: rule.status ?? 200, body: shaped(rule, body, lookup) },
    // A filter for a field that no object has.
    ...(unknown && (!isList || all.length > 0) && { unknown: `${name}?${unknown[0]}` }),
  };
}

const shaped = ({ answer = undefined }: Pick<ReadRule, "answer">, it: unknown, lookup: Lookup): unknown =>
  answer === undefined
    ? it
    : fill(answer, (place) => (place === "it" ? it : (fieldAt({ it }, place) ?? lookup(place))));

/** The objects of a list, before a call chooses among them. */
function listed(rule: ReadRule, params: Record<string, string>, lookup: Lookup, state: ApiState): Fields[] {
  const { api, truth } = state;
  const objects = truth.all(rule.list!).filter((one) => matches(one, fill(rule.by ?? {}, lookup) as Fields));
  if (rule.of === undefined) return objects.reverse();
  const owner = Object.values(params).at(-1)!;
  if (!truth.find(rule.of, owner)) throw missing(rule.of, owner, "", state);
  const owners = new Set(truth.all(rule.of).map((one) => String(one[api.id])));
  // One that names no owner belongs to each.
  return objects.filter((one) => {
    const named = Object.values(one).filter((value) => owners.has(String(value)));
    return named.length === 0 || named.includes(owner);
  });
}

/** The part of a list that a call asks for. */
function page(
  objects: readonly Fields[],
  filters: readonly [string, unknown][],
  { call: { query, path }, api, rule }: { call: ApiCall; api: SenderApi; rule: ReadRule },
): unknown {
  const hidden = Object.entries(rule.hides ?? {}).filter(([field]) => query[field] === undefined);
  const wanted = filters.filter(([field, value]) => !(rule.hides?.[field] !== undefined && value === "all"));
  const chosen = objects
    .filter((one) => hidden.every(([field, value]) => String(one[field]) !== value))
    .filter((one) =>
      wanted.every(([field, value]) => !(field in one) || String(one[field]) === String(value)),
    );
  const before = query[api.after ?? ""];
  const start = before === undefined ? 0 : chosen.findIndex((one) => String(one[api.id]) === before) + 1;
  const limit = Number(query[api.limit ?? ""] ?? DEFAULT_LIMIT);
  const items = chosen.slice(start, start + limit);
  const places: Fields = { items, more: start + items.length < chosen.length, path };
  return fill(api.list ?? "{items}", (place) => places[place]);
}

interface Finding {
  params: Record<string, string>;
  lookup: Lookup;
  name: string;
  state: ApiState;
}

/** @throws Refused if there is none */
function findOne(
  kind: string,
  by: Record<string, string> | undefined,
  { params, lookup, name, state }: Finding,
): Fields {
  const id = params.id ?? Object.values(params).at(-1) ?? "";
  const wanted = by && (fill(by, lookup) as Fields);
  const found = wanted
    ? state.truth.all(kind).findLast((one) => matches(one, wanted))
    : state.truth.find(kind, id);
  if (found) return found;
  throw missing(kind, wanted ? Object.values(wanted).join("/") : id, name, state);
}

/** The 404 of an object. If another one names it, the sender has it, and only the file does not. */
function missing(kind: string, id: string, name: string, { api, mentions }: ApiState): Refused {
  const places: Fields = { kind, id };
  const message = String(fill(api.missing, (place) => places[place]));
  return new Refused(
    refusal(api, 404, "resource_missing", message),
    name !== "" && mentions(id) ? name : undefined,
  );
}

/** Replaces ids by their objects, as `expand[]=data.customer` asks; a list below the object's own path, too. */
function expanded(
  value: unknown,
  [name, ...rest]: string[],
  place: { route: ApiRoute; params: Record<string, string>; state: ApiState },
  depth = 0,
): unknown {
  if (name === undefined || depth > MOST_EXPANDED) return value;
  if (Array.isArray(value)) return value.map((one) => expanded(one, [name, ...rest], place, depth));
  if (!isObject(value)) return value;
  const { state } = place;
  const present = value[name];
  const object =
    typeof present === "string" ? state.truth.byId(present) : (present ?? subList(name, value, place));
  if (object === undefined || object === null) return value;
  return { ...value, [name]: expanded(object, rest, place, depth + 1) };
}

/** A list that a file has below the object's path, such as `…/{id}/line_items`. */
function subList(
  name: string,
  owner: Fields,
  { route, params, state }: { route: ApiRoute; params: Record<string, string>; state: ApiState },
): unknown {
  const rule = routesOf(state.api).find(({ pattern }) => pattern === `${route.pattern}/${name}`)?.read;
  if (rule?.list === undefined || rule.of === undefined) return undefined;
  const own = { ...params, id: String(owner[state.api.id]) };
  const objects = listed(rule, own, lookupIn(state, own, {}), state);
  const call = { method: "GET", path: `/${name}`, query: {}, body: {} };
  return page(objects, [], { call, api: state.api, rule });
}

function answerWrite({ route, rule, params, call, name }: Routed<WriteRule>, state: ApiState): Answered {
  const { api } = state;
  const { [api.expand ?? ""]: expand, ...sent } = { ...call.query, ...call.body };
  let unknown: string | undefined;
  const refuse = (parameter: string): void => {
    unknown = `${name} (${parameter})`;
  };
  const said = lookupIn(state, params, sent);
  const changes: Change[] = [];
  let it: Fields | undefined;
  if (rule.make !== undefined) {
    const asFilled = fill(rule.as ?? {}, said) as Fields;
    const { [api.id]: example = "id_0a0a0a0a" } = (rule.as ?? {}) as Fields;
    const id = idLike(String(example), `${route.pattern} ${JSON.stringify(sent)} ${state.times()}`);
    it = applied(asFilled, sent, refuse);
    it = { ...it, ...(fill(rule.set ?? {}, lookupIn(state, params, it)) as Fields) };
    it[api.id] = typeof example === "number" ? Number(id) : id;
    changes.push({ kind: rule.make, id: String(it[api.id]), object: it });
  } else if (rule.change !== undefined) {
    const before = findOne(rule.change, rule.by, { params, lookup: said, name, state });
    // What is no field of the object, such as how to charge for a change, says how it is done.
    const fields = Object.fromEntries(Object.entries(sent).filter(([field]) => field in before));
    it = {
      ...applied(before, fields, refuse),
      ...(fill(rule.set ?? {}, lookupIn(state, params, { ...before, ...sent })) as Fields),
    };
    if (!isDeepStrictEqual(it, before))
      changes.push({ kind: rule.change, id: String(it[api.id]), object: it });
  }
  for (const other of rule.also ?? [])
    changes.push(...alsoChanged(other, lookupIn(state, params, { ...it, ...sent }), state));
  const wanted = [expand].flat().filter((path) => typeof path === "string");
  const body = wanted.reduce(
    (value: unknown, path) => expanded(value, path.split("."), { route, params, state }),
    it,
  );
  return {
    answer: { status: rule.status ?? 200, body: shaped(rule, body, said) },
    effect: {
      rule: route.pattern,
      kind: rule.make ?? null,
      params: { ...params, ...(rule.make === undefined ? sent : kept(it!, sent)) },
      changes,
    },
    ...(unknown !== undefined && { unknown }),
  };
}

/** What a call said, as it was understood. */
const kept = (object: Fields, sent: Fields): Fields =>
  Object.fromEntries(Object.keys(sent).map((name) => [name, object[name] ?? sent[name]]));

/** What a write does to further objects. @throws Refused where one of them has no room for it */
function alsoChanged(
  rule: NonNullable<WriteRule["also"]>[number],
  lookup: Lookup,
  state: ApiState,
): Change[] {
  const { api, truth } = state;
  const by = fill(rule.by ?? {}, lookup) as Fields;
  if (Object.keys(by).length < Object.keys(rule.by ?? {}).length) return [];
  const found = truth.all(rule.change).findLast((one) => matches(one, by));
  if (!found) return [];
  const object: Fields = { ...found, ...(fill(rule.set ?? {}, lookup) as Fields) };
  const { add, most } = rule;
  for (const [field, value] of Object.entries((fill(add ?? {}, lookup) as Fields) ?? {}))
    object[field] = Number(found[field] ?? 0) + Number(value);
  for (const [field, limit] of Object.entries(most ?? {})) {
    const room = Number(found[limit] ?? Number.POSITIVE_INFINITY);
    if (Number(object[field]) > room)
      throw new Refused(
        refusal(
          api,
          400,
          rule.code ?? "invalid",
          String(fill(rule.message ?? "There is too little left of {id}.", (place) => fieldAt(found, place))),
        ),
      );
    if (Number(object[field]) === room) Object.assign(object, fill(rule.full ?? {}, lookup));
  }
  return [{ kind: rule.change, id: String(object[api.id]), object }];
}

/** What places stand for: parts of the path, then what the call says; beyond an id, its object. */
function lookupIn({ truth, time }: ApiState, params: Record<string, string>, said: Fields): Lookup {
  return (place) => {
    if (place === "time") return time;
    const [name = "", ...rest] = place.split(".");
    const value = params[name] ?? said[name];
    if (rest.length === 0) return value;
    const object = typeof value === "string" ? truth.byId(value) : value;
    return fieldAt(object, rest.join("."));
  };
}
