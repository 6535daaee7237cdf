import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../webhooks/body-text.ts";
import { idLike } from "../../webhooks/example.ts";
import type { WriteRule } from "../../webhooks/sender-api.ts";
import { type Answered, type ApiState, lookupIn, Refused, type Routed, refusal, shaped } from "./call.ts";
import { applied, type Fields, fieldAt, fill, type Lookup, matches } from "./fields.ts";
import { expandedAt, findOne } from "./reads.ts";
import type { Change } from "./truth.ts";

export function answerWrite(
  { route, rule, params, call, name }: Routed<WriteRule>,
  state: ApiState,
): Answered {
  const { api } = state;
  // Slack's packages send the token in this form. It is not an effect, and other people read reports.
  const { [api.expand ?? ""]: expand, token: _, ...rest } = { ...call.query, ...call.body };
  const inner = rule.from === undefined ? undefined : rest[rule.from];
  const sent = isObject(inner) ? inner : rest;
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
    // A parameter that is not a field of the object, such as how to charge for a change, only affects how the call is done.
    const fields = Object.fromEntries(Object.entries(sent).filter(([field]) => field in before));
    const set = fill(rule.set ?? {}, lookupIn(state, params, { ...before, ...sent })) as Fields;
    it = applied(applied(before, fields, refuse), set, refuse);
    if (!isDeepStrictEqual(it, before))
      changes.push({ kind: rule.change, id: String(it[api.id]), object: it });
  }
  for (const other of rule.also ?? [])
    changes.push(...alsoChanged(other, lookupIn(state, params, { ...it, ...sent }), state));
  const body = expandedAt(it, expand, { route, params, state });
  return {
    answer: { status: rule.status ?? 200, body: shaped(rule, body, said) },
    effect: {
      kind: rule.make ?? null,
      params: { ...params, ...(rule.make === undefined ? sent : kept(it!, sent)) },
      changes,
    },
    ...(unknown !== undefined && { unknown }),
  };
}

/** The parameters of a call, with the values that the object now has. */
const kept = (object: Fields, sent: Fields): Fields =>
  Object.fromEntries(Object.keys(sent).map((name) => [name, object[name] ?? sent[name]]));

/** The effects of a write on further objects. @throws Refused if one of them has no room for it */
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
