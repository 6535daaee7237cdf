import { findPlayer } from "./players.ts";
import type { Game, Player, Trigger } from "./types.ts";

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
