import type { Activities } from "../activities.ts";
import type { Channels } from "../channels.ts";
import type { GameContext } from "../context.ts";
import type { Items } from "../items.ts";
import type { Messages } from "../messages.ts";
import type { Notifications } from "../notifications.ts";
import type { Scores } from "../scores.ts";
import type { Session } from "../sessions.ts";
import { type ActionKind, fillText, type Rule, type RuleAction } from "./rule.ts";

/** The journal entry that requests a payment. The module that connects the areas makes the payment. */
export const PAYMENT_REQUESTED = "game.payment_requested";

/** The journal entry with a rule payment's result. */
export const RULE_PAYMENT = "rule.payment";
export const REFUSED = "refused";

export interface PaymentRequest {
  rule: string;
  game: string;
  player: string;
  sender_address: string;
  link: string;
  amount: string | null;
  outcome: "completed" | "failed" | null;
  metadata: Record<string, string>;
}

export interface RuleRun {
  session: Session;
  trigger: string;
  nonce: string;
  value: number | undefined;
}

/** The error for an action that cannot be performed. Its message gives the reason. */
export class ActionFailed extends Error {}

type Doing = {
  [Kind in ActionKind]: (
    action: Extract<RuleAction, Record<Kind, unknown>>[Kind],
    run: RuleRun,
    rule: Rule,
  ) => void;
};

interface Parts {
  activities: Activities;
  scores: Scores;
  messages: Messages;
  channels: Channels;
  items: Items;
  notifications: Notifications;
}

/** Creates the function that performs an action. @throws ActionFailed, GameError */
export function createRuleActions({ world }: GameContext, parts: Parts) {
  const doing: Doing = {
    activity({ displayText, type = "off-chain", eventId }, run) {
      const { player, game } = run.session;
      const event = eventId === undefined ? undefined : fill(eventId, run);
      parts.activities.add(player, game, { type, eventId: event, text: fill(displayText, run) });
    },

    score({ value, nonce }, run) {
      parts.scores.set(run.session, numberOf(value, run), nonce === undefined ? run.nonce : fill(nonce, run));
    },

    message({ channel: name, content }, run) {
      const { player, game } = run.session;
      const channel =
        name === undefined ? parts.channels.own(player, game) : parts.channels.find(game, fill(name, run));
      if (!channel) throw new ActionFailed(`${game.name} has no channel '${name}'`);
      parts.messages.sendFromGame(game, channel, fill(content, run));
    },

    item({ name, quantity = 1 }, run) {
      const count = numberOf(quantity, run);
      if (!Number.isSafeInteger(count) || count < 1)
        throw new ActionFailed(`the quantity must be a whole number of at least 1, not ${count}`);
      parts.items.grant(run.session.player, run.session.game, fill(name, run), count);
    },

    notification({ message, type }, run) {
      parts.notifications.send(run.session.player, run.session.game, fill(message, run), type);
    },

    payment({ link, amount, outcome }, run, rule) {
      const { player, game } = run.session;
      const request: PaymentRequest = {
        rule: rule.name,
        game: game.slug,
        player: player.username,
        sender_address: player.address,
        link,
        amount: amount === undefined ? null : amount === "value" ? amountOf(run) : amount,
        outcome: outcome ?? null,
        metadata: {
          game: game.slug,
          player: player.username,
          trigger: run.trigger.slice(0, 100),
          rule: rule.name,
        },
      };
      world.journal.append(PAYMENT_REQUESTED, { ...request });
    },
  };

  return (action: RuleAction, run: RuleRun, rule: Rule): ActionKind => {
    const [kind, what] = Object.entries(action)[0] as [ActionKind, never];
    doing[kind](what, run, rule);
    return kind;
  };
}

function fill(text: string, { session, trigger, value }: RuleRun): string {
  return fillText(text, {
    value: value === undefined ? "" : String(value),
    username: session.player.username,
    wallet: session.player.address,
    trigger,
    game: session.game.name,
  });
}

function numberOf(number: number | "value", { value }: RuleRun): number {
  if (number !== "value") return number;
  if (value === undefined) throw new ActionFailed("it uses the trigger's value, but the trigger has none");
  return value;
}

function amountOf(run: RuleRun): string {
  const amount = numberOf("value", run);
  if (Number.isSafeInteger(amount) && amount >= 0) return String(amount);
  throw new ActionFailed(`an amount is a whole number in the token's smallest unit, not ${amount}`);
}
