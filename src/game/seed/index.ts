import type { World } from "../../world/world.ts";
import type { PlayerRow, ScoreRow } from "../rows.ts";
import { seedActivities } from "./activities.ts";
import { seedChannels, seedMessages } from "./channels.ts";
import { seedPlayers } from "./players.ts";
import { beginSeeding, instants, playedGames, type SeededGame, type Seeding } from "./seeding.ts";
import { seedMainSession, seedSessions } from "./sessions.ts";
import { seedStates } from "./states.ts";

/**
 * Fills a world's game launcher with players and days of activity. The same seed and start give the same rows everywhere.
 * Writes nothing to the journal.
 */
export async function seedGame(world: World): Promise<void> {
  const seeding = beginSeeding(world);
  const channels = world.store.transaction(() => {
    seedPlayers(seeding);
    const channels = seedChannels(seeding);
    seedMessages(seeding, channels);
    seedSessions(seeding, channels);
    for (const [index, of] of playedGames(seeding).entries()) seedScores(seeding, of, SCORES[index]!);
    seedActivities(seeding);
    seedStates(seeding);
    return channels;
  });
  await seedMainSession(seeding, channels);
}

/** Tables with players' past activity. Players, channels, states and scores stay. */
const PAST = [
  "game_messages where created_at < ?",
  "game_activities where created_at < ?",
  "game_items where created_at < ?",
  "game_notifications where created_at < ?",
  "game_sessions where opened_at < ?",
];

/** Removes seeded activity older than an instant. */
export function shortenGame({ store }: World, before: number): void {
  store.transaction(() => {
    for (const past of PAST) store.sql(`delete from ${past}`).run(before);
    store
      .sql(
        "update game_channels set messages = (select count(*) from game_messages where channel = game_channels.id)",
      )
      .run();
  });
}

/** The number of scores in each game with players, 500 in total. */
const SCORES = [240, 160, 100];
/** How many players share the top score, so that the leaderboard contains a tie. */
const TIED = 3;

function seedScores(seeding: Seeding, of: SeededGame, count: number): void {
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

/** Rounds scores to steps, so that many are equal. High scores are rare. */
function drawScore({ draws }: Seeding, { lore }: SeededGame): number {
  const { top, step } = lore.scores;
  const steps = Math.floor(top / step);
  return Math.min(draws.between(1, steps), draws.between(1, steps)) * step;
}
