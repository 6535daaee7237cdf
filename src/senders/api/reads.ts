import { isObject } from "../../webhooks/body-text.ts";
import type { ReadRule, SenderApi } from "../../webhooks/sender-api.ts";
import {
  type Answered,
  type ApiCall,
  type ApiState,
  lookupIn,
  Refused,
  type Routed,
  refusal,
  shaped,
} from "./call.ts";
import { type Fields, fill, type Lookup, matches } from "./fields.ts";
import { routesOf } from "./routes.ts";

const MOST_EXPANDED = 4;
const DEFAULT_LIMIT = 100;

export function answerRead({ route, rule, params, call, name }: Routed<ReadRule>, state: ApiState): Answered {
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
  const body = expandedAt(it, call.query[expand ?? ""], { route, params, state });
  return {
    answer: shaped(rule, body, lookup),
    // Report a filter for a field that no object has.
    ...(unknown && (!isList || all.length > 0) && { unknown: `${name}?${unknown[0]}` }),
  };
}

/** A list's objects, before the call's filters are applied. */
function listed(rule: ReadRule, params: Record<string, string>, lookup: Lookup, state: ApiState): Fields[] {
  const { api, truth } = state;
  const objects = truth.all(rule.list!).filter((one) => matches(one, fill(rule.by ?? {}, lookup) as Fields));
  if (rule.of === undefined) return rule.oldest ? objects : objects.reverse();
  const owner = Object.values(params).at(-1)!;
  if (!truth.find(rule.of, owner)) throw missing(rule.of, owner, "", state);
  const owners = new Set(truth.all(rule.of).map((one) => String(one[api.id])));
  // An object without an owner is part of every owner's list.
  return objects.filter((one) => {
    const named = Object.values(one).filter((value) => owners.has(String(value)));
    return named.length === 0 || named.includes(owner);
  });
}

function page(
  objects: readonly Fields[],
  filters: readonly [string, unknown][],
  { call, api, rule }: { call: ApiCall; api: SenderApi; rule: ReadRule },
): unknown {
  const { path } = call;
  const query = { ...call.query, ...call.body };
  const hidden = Object.entries(rule.hides ?? {}).filter(([field]) => query[field] === undefined);
  const wanted = filters.filter(([field, value]) => !(rule.hides?.[field] !== undefined && value === "all"));
  const chosen = objects
    .filter((one) => hidden.every(([field, value]) => String(one[field]) !== value))
    .filter((one) =>
      wanted.every(([field, value]) => !(field in one) || String(one[field]) === String(value)),
    );
  const before = query[api.after ?? ""] || undefined;
  const start = before === undefined ? 0 : chosen.findIndex((one) => String(one[api.id]) === before) + 1;
  const limit = Number(query[api.limit ?? ""] ?? DEFAULT_LIMIT);
  const items = chosen.slice(start, start + limit);
  const last = items.at(-1)?.[api.id] ?? before ?? null;
  const places: Fields = { items, more: start + items.length < chosen.length, path, last };
  return fill(api.list ?? "{items}", (place) => places[place]);
}

interface ObjectSearch {
  params: Record<string, string>;
  lookup: Lookup;
  name: string;
  state: ApiState;
}

/** @throws Refused if the object does not exist */
export function findOne(
  kind: string,
  by: Record<string, string> | undefined,
  { params, lookup, name, state }: ObjectSearch,
): Fields {
  const id = params.id ?? Object.values(params).at(-1) ?? "";
  const wanted = by && (fill(by, lookup) as Fields);
  const found = wanted
    ? state.truth.all(kind).findLast((one) => matches(one, wanted))
    : state.truth.find(kind, id);
  if (found) return found;
  throw missing(kind, wanted ? Object.values(wanted).join("/") : id, name, state);
}

/**
 * The 404 response for an object. If another object mentions its id, the object exists at the sender, and only the file
 * lacks it.
 */
function missing(kind: string, id: string, name: string, { api, mentions }: ApiState): Refused {
  const places: Fields = { kind, id };
  const message = String(fill(api.missing, (place) => places[place]));
  return new Refused(
    refusal(api, 404, "resource_missing", message),
    name !== "" && mentions(id) ? name : undefined,
  );
}

type Answering = Pick<Routed<unknown>, "route" | "params"> & { state: ApiState };

/**
 * Replaces ids with their objects, as requested by `expand[]=data.customer`. This includes lists under the object's own
 * path.
 */
export const expandedAt = (it: unknown, paths: unknown, place: Answering): unknown =>
  [paths]
    .flat()
    .filter((path) => typeof path === "string")
    .reduce((value, path) => expanded(value, path.split("."), place), it);

function expanded(value: unknown, [name, ...rest]: string[], place: Answering, depth = 0): unknown {
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

/** A list that the file describes at a path below the object's, such as `…/{id}/line_items`. */
function subList(name: string, owner: Fields, { route, params, state }: Answering): unknown {
  const rule = routesOf(state.api).find(({ pattern }) => pattern === `${route.pattern}/${name}`)?.read;
  if (rule?.list === undefined || rule.of === undefined) return undefined;
  const own = { ...params, id: String(owner[state.api.id]) };
  const objects = listed(rule, own, lookupIn(state, own, {}), state);
  const call = { method: "GET", path: `/${name}`, query: {}, body: {} };
  return page(objects, [], { call, api: state.api, rule });
}
