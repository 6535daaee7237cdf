import type { ActivityType } from "../rows.ts";

/**
 * Limits for a trigger's value; all given limits must hold.
 * @example
 * const condition: ValueCondition = { gte: 100, lt: 1000 };
 */
export interface ValueCondition {
  gte?: number;
  gt?: number;
  lte?: number;
  lt?: number;
  eq?: number;
}

/**
 * A message for a rule to send.
 * @example
 * const message: MessageAction = { content: "{username} reached level {value}" };
 */
export interface MessageAction {
  content: string;
  /** A channel's id or name. Default: the player's own channel. */
  channel?: string;
}

/**
 * A payment for a rule to make.
 * @example
 * const payment: PaymentAction = { link: "coffee", outcome: "completed" };
 */
export interface PaymentAction {
  /** A payment link's id, short code or URL. */
  link: string;
  /** The amount in the token's smallest unit, if the link does not fix it. */
  amount?: string | "value";
  outcome?: "completed" | "failed";
}

/**
 * A rule's action. Strings may contain {value}, {username}, {wallet}, {trigger} and {game}; instead of a number,
 * "value" uses the trigger's value.
 * @example
 * const action: RuleAction = { item: { name: "Golden ticket", quantity: 1 } };
 */
export type RuleAction =
  | { activity: { displayText: string; type?: ActivityType; eventId?: string } }
  | { score: { value: number | "value"; nonce?: string } }
  | { message: MessageAction }
  | { item: { name: string; quantity?: number | "value" } }
  | { notification: { message: string; type?: "success" | "error" } }
  | { payment: PaymentAction };

export const ACTION_KINDS = ["activity", "score", "message", "item", "notification", "payment"] as const;
export type ActionKind = (typeof ACTION_KINDS)[number];

/**
 * A reaction to a trigger of the rules engine.
 * @example
 * const rule: Rule = {
 *   name: "Bonus",
 *   when: "level-complete",
 *   if: { value: { gte: 10 } },
 *   then: [{ payment: { link: "coffee" } }],
 * };
 */
export interface Rule {
  /** A unique name for the timeline. */
  name: string;
  /** A game's id or slug. Default: every game. */
  game?: string;
  /** The trigger that the rule reacts to. It must match exactly. */
  when: string;
  if?: { value: ValueCondition };
  then: readonly RuleAction[];
}

const CONDITIONS: Record<
  keyof ValueCondition,
  [sign: string, holds: (value: number, limit: number) => boolean]
> = {
  gte: ["at least", (value, limit) => value >= limit],
  gt: ["above", (value, limit) => value > limit],
  lte: ["at most", (value, limit) => value <= limit],
  lt: ["below", (value, limit) => value < limit],
  eq: ["exactly", (value, limit) => value === limit],
};

/** The reason why a rule does not fire for this value; undefined if it fires. */
export function whyNot(rule: Rule, value: number | undefined): string | undefined {
  for (const [name, [sign, holds]] of Object.entries(CONDITIONS)) {
    const limit = rule.if?.value[name as keyof ValueCondition];
    if (limit === undefined) continue;
    if (value === undefined) return `value must be ${sign} ${limit}, but the trigger has none`;
    if (!holds(value, limit)) return `value must be ${sign} ${limit}, not ${value}`;
  }
  return undefined;
}

/**
 * Fills a trigger's values into a template: `{username} reached {value}`. Other braces stay unchanged. A missing value
 * is removed with its space: `Level {value} complete.` becomes `Level complete.`
 */
export function fillText(text: string, values: Record<string, string>): string {
  return text.replace(/( ?)\{(\w+)\}/g, (whole, space: string, name: string) => {
    if (!Object.hasOwn(values, name)) return whole;
    return values[name] === "" ? "" : space + values[name];
  });
}
