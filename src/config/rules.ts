import type { Game } from "../game/context.ts";
import { NOTIFICATION_TYPES } from "../game/notifications.ts";
import { ACTIVITY_TYPES } from "../game/rows.ts";
import {
  ACTION_KINDS,
  type ActionKind,
  CONDITION_NAMES,
  type Rule,
  type RuleAction,
  type ValueCondition,
} from "../game/rules/rule.ts";
import { expect, oneOf, type Reader, type Section, text } from "./section.ts";

const number: Reader<number> = (value) =>
  typeof value === "number" && Number.isFinite(value) ? value : expect("a number");
const numberOrValue: Reader<number | "value"> = (value) =>
  value === "value" || (typeof value === "number" && Number.isFinite(value))
    ? value
    : expect('a number, or "value" for that of the trigger');
const amount: Reader<string> = (value) =>
  value === "value" || (typeof value === "string" && /^[0-9]{1,78}$/.test(value))
    ? value
    : expect('digits in the token\'s smallest unit such as "2500000", or "value" for that of the trigger');
const shortText =
  (most: number): Reader<string> =>
  (value) =>
    text(value).length <= most ? text(value) : expect(`a text of at most ${most} characters`);

/** How the fields of each kind of action are read. */
const ACTIONS: Record<ActionKind, (section: Section) => object> = {
  activity: (section) => ({
    displayText: section.require("displayText", shortText(500)),
    ...section.optional("type", oneOf(...ACTIVITY_TYPES)),
    ...section.optional("eventId", shortText(200)),
  }),
  score: (section) => ({
    value: section.require("value", numberOrValue),
    ...section.optional("nonce", shortText(200)),
  }),
  message: (section) => ({
    content: section.require("content", shortText(4_000)),
    ...section.optional("channel", shortText(100)),
  }),
  item: (section) => ({
    name: section.require("name", shortText(100)),
    ...section.optional("quantity", numberOrValue),
  }),
  notification: (section) => ({
    message: section.require("message", shortText(500)),
    ...section.optional("type", oneOf(...NOTIFICATION_TYPES)),
  }),
  payment: (section) => ({
    link: section.require("link", shortText(2_048)),
    ...section.optional("amount", amount),
    ...section.optional("outcome", oneOf("completed", "failed")),
  }),
};

/** Reads the rules of the section `game`; undefined when there are none to read. */
export function readRules(section: Section, game: Reader<Pick<Game, "slug">>): Rule[] | undefined {
  const names = new Set<string>();
  const name: Reader<string> = (value) => {
    const read = shortText(100)(value);
    if (names.has(read)) return expect("a name that no rule before it has");
    names.add(read);
    return read;
  };
  return section.sections("rules")?.map((part): Rule => {
    const rule = {
      name: part.require("name", name),
      ...part.optional("game", (value) => game(value).slug),
      when: part.require("when", shortText(200)),
      ...readCondition(part),
      then: readActions(part),
    };
    part.refuseUnknown();
    return rule;
  });
}

function readCondition(rule: Section): { if?: { value: ValueCondition } } {
  if (!rule.names.includes("if")) return {};
  const condition = rule.section("if");
  const value = condition.section("value");
  const limits = CONDITION_NAMES.map((name) => value.optional(name, number));
  for (const part of [condition, value]) part.refuseUnknown();
  return { if: { value: Object.assign({}, ...limits) as ValueCondition } };
}

function readActions(rule: Section): RuleAction[] {
  const actions = rule.sections("then") ?? [];
  if (actions.length === 0) rule.refuse("then", `a list of actions: ${ACTION_KINDS.join(", ")}`);
  return actions.flatMap((action) => {
    const [kind] = action.names as ActionKind[];
    if (action.names.length !== 1 || !ACTION_KINDS.includes(kind!)) {
      action.refuse("", `an object with one of ${ACTION_KINDS.join(", ")}`);
      return [];
    }
    const fields = action.section(kind!);
    const read = { [kind!]: ACTIONS[kind!](fields) } as unknown as RuleAction;
    fields.refuseUnknown();
    return [read];
  });
}
