import type { Static } from "typebox";
import { inserter } from "../world/save.ts";
import type { GameContext } from "./context.ts";
import type { Page, ScoreRow } from "./rows.ts";
import type * as records from "./schemas/records.ts";
import type { Seat } from "./sessions.ts";

/**
 * Scores and the leaderboard. A player's best score is the highest one, or the earliest of equal ones. The leaderboard
 * sorts players by the same rule.
 */
export interface Scores {
  /**
   * Sets the score for a nonce; if there is no nonce, one is generated. Setting the same score again changes nothing,
   * so a repeated call does not cost a player their position.
   */
  set(seat: Seat, score: number, nonce?: string): Static<typeof records.Score>;
  /** A player's scores, latest first, or only the score for a nonce. */
  list(seat: Seat, nonce: string | undefined, page: Page): Static<typeof records.Score>[];
  /** Each player's best score in the leaderboard's order. */
  leaderboard(gameId: string, page: Page): Static<typeof records.LeaderboardEntry>[];
  /** A player's leaderboard position, starting at 1; 0 if the player has no score. */
  position(gameId: string, playerId: string): number;
}

interface BestRow extends ScoreRow {
  address: string;
  username: string;
  avatar: string;
}

export function createScores({ world, makeId }: GameContext): Scores {
  const { store, clock, journal, ids } = world;
  const byNonce = store.sql<ScoreRow>(
    "select * from game_scores where game = ? and player = ? and nonce = ?",
  );
  const page = store.sql<ScoreRow>(
    `select * from game_scores where game = ? and player = ? and nonce = coalesce(?, nonce)
     order by updated_at desc, id desc limit ? offset ?`,
  );
  const save = inserter<ScoreRow>(store, "game_scores");
  const update = store.sql("update game_scores set score = ?, updated_at = ? where id = ?");
  const best = store.sql<ScoreRow>(
    "select * from game_scores where game = ? and player = ? order by score desc, updated_at, id limit 1",
  );
  const keepBest = store.sql(
    "insert or replace into game_best_scores (game, score, updated_at, id, player, nonce) values (?, ?, ?, ?, ?, ?)",
  );
  const leaderboard = store.sql<BestRow>(
    `select b.*, p.address, p.username, p.avatar from game_best_scores b join game_players p on p.id = b.player
     where b.game = ? order by b.score desc, b.updated_at, b.id limit ? offset ?`,
  );
  const bestOf = store.sql<ScoreRow>("select * from game_best_scores where game = ? and player = ?");
  const ahead = store.sql<{ n: number }>(
    `select count(*) as n from game_best_scores
     where game = ? and (score > ? or (score = ? and (updated_at, id) < (?, ?)))`,
  );

  /** A nonce not used by any of the player's scores. Fixtures may already contain the nonce that the seed draws next. */
  function freeNonce(player: string, game: string): string {
    const nonce = ids.code("score_nonce", 16);
    return byNonce.get(game, player, nonce) ? freeNonce(player, game) : nonce;
  }

  return {
    set({ player, game }, asked, nonce = freeNonce(player.id, game.id)) {
      const score = asked + 0;
      return store.transaction(() => {
        const existing = byNonce.get(game.id, player.id, nonce);
        if (existing?.score === score) return scoreResource(existing, player.address);
        const id = existing?.id ?? makeId("score");
        const row = { id, game: game.id, player: player.id, nonce, score, updated_at: clock.now() };
        if (existing) update.run(score, row.updated_at, id);
        else save(row);
        const top = best.get(game.id, player.id)!;
        keepBest.run(game.id, top.score, top.updated_at, top.id, player.id, top.nonce);
        journal.append("score.set", { id, game: game.slug, player: player.username, nonce, score });
        return scoreResource(row, player.address);
      });
    },

    list: ({ player, game }, nonce, { limit, skip }) =>
      page
        .all(game.id, player.id, nonce ?? null, limit, skip)
        .map((row) => scoreResource(row, player.address)),

    leaderboard: (gameId, { limit, skip }) =>
      leaderboard.all(gameId, limit, skip).map((row) => {
        const { address, username, avatar } = row;
        return { ...scoreResource(row, address), username, avatar };
      }),

    position(gameId, playerId) {
      const row = bestOf.get(gameId, playerId);
      return row ? ahead.get(gameId, row.score, row.score, row.updated_at, row.id)!.n + 1 : 0;
    },
  };
}

function scoreResource(row: ScoreRow, address: string) {
  return {
    _id: row.id,
    nonce: row.nonce,
    gameId: row.game,
    normalizedAddress: address,
    score: row.score,
    updatedAt: row.updated_at,
  };
}
