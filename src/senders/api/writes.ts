import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../webhooks/body-text.ts";
import { idLike } from "../../webhooks/example.ts";
import type { WriteRule } from "../../webhooks/sender-api.ts";
import {
  type Answered,
  type ApiState,
  type Deed,
  lookupIn,
  Refused,
  type Routed,
  refusal,
  shaped,
} from "./call.ts";
import { applied, type Fields, fieldAt, fill, type Lookup, matches } from "./fields.ts";
import { expandedAt, findOne } from "./reads.ts";
import type { Change } from "./truth.ts";

export function answerWrite(routed: Routed<WriteRule>, state: ApiState): Answered {
  const { route, rule, params, call, name } = routed;
  const { api } = state;
  // Slack's packages send the token as a parameter. It is not part of the effect, and reports may be shared, so leave
  // it out.
  const { [api.expand ?? ""]: expand, token: _, ...rest } = { ...call.query, ...call.body };
  const { token: __, ...places } = params;
  const inner = rule.from === undefined ? undefined : rest[rule.from];
  const sent = isObject(inner) ? inner : rest;
  let unknown: string | undefined;
  const refuse = (parameter: string): void => {
    unknown = `${name} (${parameter})`;
  };
  const said = lookupIn(state, params, sent);
  const changes: Change[] = [];
  const deeds: Deed[] = [];
  let it: unknown;
  let fields: Fields = { ...places, ...sent };
  if (rule.make !== undefined && rule.each !== undefined) {
    const list = rest[rule.each];
    const common = Object.fromEntries(Object.entries(rest).filter(([name]) => name !== rule.each));
    it = (Array.isArray(list) ? list : []).map((one, index) => {
      const own: Fields = isObject(one) ? { ...common, ...one } : { ...common, [rule.each!]: one };
      const made = makeOne(own, index);
      return rule.item === undefined ? made : shaped({ answer: rule.item }, made, said).body;
    });
  } else if (rule.make !== undefined) {
    const made = makeOne(sent, 0);
    fields = { ...places, ...kept(made, sent) };
    it = made;
  } else if (rule.change !== undefined) {
    const before = findOne(rule.change, rule.by, { params, lookup: said, name, state });
    // A parameter that is not a field of the object, such as how to charge for a change, only affects how the call is
    // executed.
    const given = Object.fromEntries(Object.entries(sent).filter(([field]) => field in before));
    const set = fill(rule.set ?? {}, lookupIn(state, params, { ...before, ...sent })) as Fields;
    const changed = applied(applied(before, given, refuse), set, refuse);
    if (!isDeepStrictEqual(changed, before))
      changes.push({ kind: rule.change, id: String(changed[api.id]), object: changed });
    it = changed;
  }
  if (deeds.length === 0 && rule.each === undefined) deeds.push(deedOf(it, sent));

  /**
   * Creates an object from a call's parameters.
   * @param index its position among the objects that the call creates
   */
  function makeOne(given: Fields, index: number): Fields {
    const asFilled = fill(rule.as ?? {}, lookupIn(state, params, given)) as Fields;
    const { [api.id]: example = "id_0a0a0a0a" } = (rule.as ?? {}) as Fields;
    const seed = `${route.pattern} ${JSON.stringify(given)} ${state.times()}${index > 0 ? ` ${index}` : ""}`;
    const id = idLike(String(example), seed);
    const filled = applied(asFilled, given, refuse);
    const made = { ...filled, ...(fill(rule.set ?? {}, lookupIn(state, params, filled)) as Fields) };
    made[api.id] = typeof example === "number" ? Number(id) : id;
    changes.push({ kind: rule.make!, id: String(made[api.id]), object: made });
    deeds.push(deedOf(made, given));
    return made;
  }

  /** What a call does, described in the terms of the rule. */
  function deedOf(object: unknown, given: Fields): Deed {
    const { as, key, thing, done = "made" }: Partial<NonNullable<WriteRule["effect"]>> = rule.effect ?? {};
    const lookup = lookupIn(state, params, { ...(isObject(object) && object), ...given });
    const text = (form: string) =>
      form.replaceAll(/\{[^{}]+\}/g, (place) => [fill(place, lookup) ?? ""].flat().map(asText).join(", "));
    const own = { ...places, ...given };
    return {
      ...{ as, done, fields: own },
      key: key === undefined ? `${call.method} ${route.pattern} ${JSON.stringify(own)}` : text(key),
      thing: thing === undefined ? `the call ${call.method} ${route.pattern}` : text(thing),
    };
  }

  for (const other of rule.also ?? [])
    changes.push(...alsoChanged(other, lookupIn(state, params, { ...(isObject(it) && it), ...sent }), state));
  const body = expandedAt(it, expand, { route, params, state });
  const lookup: Lookup = (place) => fieldAt({ items: it }, place) ?? said(place);
  return {
    answer: shaped(rule, body, lookup),
    effect: { kind: rule.make ?? null, params: fields, changes, deeds },
    ...(unknown !== undefined && { unknown }),
  };
}

const asText = (value: unknown): string => (isObject(value) ? JSON.stringify(value) : String(value));

/** The parameters of a call, with the object's current values. */
const kept = (object: Fields, sent: Fields): Fields =>
  Object.fromEntries(Object.keys(sent).map((name) => [name, object[name] ?? sent[name]]));

/** The effects that a write has on other objects. @throws Refused if one of them has no capacity left for it */
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
          String(
            fill(rule.message ?? "The remaining amount of {id} is too small.", (place) =>
              fieldAt(found, place),
            ),
          ),
        ),
      );
    if (Number(object[field]) === room) Object.assign(object, fill(rule.full ?? {}, lookup));
  }
  return [{ kind: rule.change, id: String(object[api.id]), object }];
}
