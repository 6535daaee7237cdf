import type { PlayerRow, ScoreRow } from "../rows.ts";
import { instants, playedGames, type SeededGame, type Seeding } from "./seeding.ts";

/** Scores of each game with players: 500 in all. */
const SCORES = [240, 160, 100];
/** The first players of a leaderboard share their score, so that there is a tie. */
const TIED = 3;

export function seedScores(seeding: Seeding): void {
  const played = playedGames(seeding);
  for (const [index, of] of played.entries()) seedGameScores(seeding, of, SCORES[index]!);
}

function seedGameScores(seeding: Seeding, of: SeededGame, count: number): void {
  const { draws, makeId, save } = seeding;
  const { game, lore, players } = of;
  const best = new Map<PlayerRow, ScoreRow>();
  for (const [run, at] of instants(seeding, count).entries()) {
    const player = run < players.length ? players[run]! : draws.pickEarly(players);
    const tied = players.indexOf(player) < TIED && run >= count / 2;
    const row: ScoreRow = {
      id: makeId("score", at),
      game: game.id,
      player: player.id,
      nonce: `run-${run + 1}`,
      score: tied ? lore.scores.top : drawScore(seeding, of),
      updated_at: at,
    };
    save("game_scores", row);
    const top = best.get(player);
    if (!top || row.score > top.score) best.set(player, row);
  }
  for (const { id, game: gameId, score, updated_at, player, nonce } of best.values())
    save("game_best_scores", { game: gameId, score, updated_at, id, player, nonce });
}

/** Scores come in steps, so that many are equal; high ones are rare. */
function drawScore({ draws }: Seeding, { lore }: SeededGame): number {
  const { top, step } = lore.scores;
  const steps = Math.floor(top / step);
  return Math.min(draws.between(1, steps), draws.between(1, steps)) * step;
}
