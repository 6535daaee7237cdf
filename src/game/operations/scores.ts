import { Type } from "typebox";
import { SCORES_PAGE_SIZE } from "../limits.ts";
import { GameId, Nonce, pageFields, success, Wallet } from "../schemas/common.ts";
import { LeaderboardEntry, Score } from "../schemas/records.ts";
import { openOperation, playerOperation, tagged } from "./operation.ts";

export const scoreOperations = tagged("Scores", [
  playerOperation({
    method: "setUserScore",
    summary: "Set a score of the player",
    description: "One record for each game, player and nonce; the same nonce updates it.",
    takes: {
      score: Type.Number({ examples: [1_250] }),
      nonce: Type.Optional({ ...Nonce, description: "One record for each; one is made without it." }),
    },
    answer: success("NewScore", { newScore: Score }),
    run: ({ scores }, session, { score, nonce }) => ({
      success: true,
      newScore: scores.set(session, score, nonce),
    }),
  }),
  playerOperation({
    method: "getUserScores",
    summary: "List the player's scores, those set last first",
    takes: {
      nonce: Type.Optional({ ...Nonce, description: "Only the score with this nonce." }),
      ...pageFields(SCORES_PAGE_SIZE),
    },
    answer: success("ScoreList", { scores: Type.Array(Score) }),
    run: ({ scores }, session, { nonce, ...page }) => ({
      success: true,
      scores: scores.list(session, nonce, page),
    }),
  }),
  openOperation({
    method: "getGameScoresLeaderboard",
    services: ["scores", "launcher"],
    summary: "A game's leaderboard",
    description: "Each player's best score, highest first, ties to the earlier.",
    takes: { gameId: GameId, ...pageFields(SCORES_PAGE_SIZE) },
    answer: success("Leaderboard", { leaderboard: Type.Array(LeaderboardEntry) }),
    run: ({ games, scores }, { gameId, ...page }) => ({
      success: true,
      leaderboard: scores.leaderboard(games.get(gameId).id, page),
    }),
  }),
  openOperation({
    method: "getUsersPositionInGameScoreLeaderboard",
    services: ["launcher", "scores"],
    summary: "A player's place on a game's leaderboard",
    takes: { gameId: GameId, wallet: Wallet },
    answer: success("Position", {
      position: Type.Integer({ minimum: 0, description: "From 1; 0 for a player without a score." }),
    }),
    run({ games, players, scores }, { gameId, wallet }) {
      const game = games.get(gameId);
      const player = players.byAddress(wallet);
      return { success: true, position: player ? scores.position(game.id, player.id) : 0 };
    },
  }),
]);
