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

export type TriggerProblem = Partial<Record<keyof TriggerDraft, string>>;

export interface ReadTrigger {
  player: Player;
  game: Game;
  trigger: Trigger;
}

/** Whom a draft triggers the rules as, and with what; or what is wrong with it. */
export function readTrigger(
  draft: TriggerDraft,
  players: readonly Player[],
  games: readonly Game[],
): ReadTrigger | { problem: TriggerProblem } {
  const problem: TriggerProblem = {};
  const player = findPlayer(players, draft.player);
  const game = games.find(({ slug }) => slug === draft.game) ?? games[0];
  const value = draft.value.trim() === "" ? undefined : Number(draft.value);
  if (!player)
    problem.player = draft.player.trim()
      ? "No player has this name, address or id."
      : "The name of a player, to begin with.";
  if (!game) problem.game = "There is no such game.";
  if (draft.trigger.trim() === "") problem.trigger = "A trigger, for example of a rule below.";
  if (value !== undefined && !Number.isFinite(value)) problem.value = "A number, for example 140.";
  if (!player || !game || Object.keys(problem).length > 0) return { problem };
  return {
    player,
    game,
    trigger: {
      trigger: draft.trigger.trim(),
      ...(value === undefined ? {} : { value }),
      ...(draft.nonce.trim() === "" ? {} : { nonce: draft.nonce.trim() }),
    },
  };
}

/** What came of a trigger, in a sentence. */
export function outcomeWords(actions: readonly string[]): string {
  return actions.length === 0 ? "No rule fired. The log says why." : `Done by rules: ${actions.join(", ")}.`;
}
