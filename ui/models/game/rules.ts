import { findPlayer } from "./players.ts";
import type { Game, Player, Rule, Trigger } from "./types.ts";

const SIGNS: Record<string, string> = {
  gte: "at least",
  gt: "above",
  lte: "at most",
  lt: "below",
  eq: "exactly",
};

/** `value at least 100 and below 500`; empty for a rule without a condition. */
export function conditionWords({ if: condition }: Rule): string {
  const limits = Object.entries((condition as { value?: Record<string, number> } | null)?.value ?? {});
  if (limits.length === 0) return "";
  return `value ${limits.map(([name, limit]) => `${SIGNS[name] ?? name} ${limit}`).join(" and ")}`;
}

type Fields = Record<string, unknown>;

const quoted = (text: unknown) => `“${String(text)}”`;
const amount = (value: unknown) => (value === "value" ? "the trigger's value" : String(value));

const WORDS: Record<string, (fields: Fields) => string> = {
  activity: ({ displayText, type }) => `an ${String(type ?? "off-chain")} activity ${quoted(displayText)}`,
  score: ({ value }) => `the score becomes ${amount(value)}`,
  message: ({ content, channel }) =>
    `a message ${quoted(content)} in ${channel === undefined ? "the player's own channel" : quoted(channel)}`,
  item: ({ name, quantity }) => `the item ${quoted(name)}, ${amount(quantity ?? 1)} of it`,
  notification: ({ message }) => `a notification ${quoted(message)}`,
  payment: ({ link, outcome }) =>
    `a payment of the link ${quoted(link)}${outcome === "failed" ? " that fails" : ""}`,
};

/** What an action does, for people; one of an unknown kind is shown by its name. */
export function actionWords(action: unknown): string {
  const [kind = "nothing", fields] = Object.entries((action ?? {}) as Record<string, Fields>)[0] ?? [];
  return Object.hasOwn(WORDS, kind) ? WORDS[kind]!(fields ?? {}) : kind;
}

/** A trigger as a form holds it. */
export interface TriggerDraft {
  player: string;
  game: string;
  trigger: string;
  value: string;
  nonce: string;
}

/** Whom a draft triggers the rules as, and with what; undefined where no player has the name. */
export function readTrigger(
  { player: name, game: slug, trigger, value, nonce }: TriggerDraft,
  players: readonly Player[],
  games: readonly Game[],
) {
  const player = findPlayer(players, name);
  const game = games.find((one) => one.slug === slug) ?? games[0]!;
  const sent: Trigger = {
    trigger: trigger.trim(),
    ...(value === "" ? {} : { value: Number(value) }),
    ...(nonce.trim() === "" ? {} : { nonce: nonce.trim() }),
  };
  return player && { player, game, trigger: sent };
}

/** What came of a trigger, in a sentence. */
export function outcomeWords(actions: readonly string[]): string {
  return actions.length === 0 ? "No rule fired. The log says why." : `Done by rules: ${actions.join(", ")}.`;
}
