import * as shapes from "../schemas/scores.ts";
import { openOperation, playerOperation, tagged } from "./operation.ts";

export const scoreOperations = tagged("Scores", [
  playerOperation({
    method: "setUserScore",
    summary: "Set a score of the player",
    description: "One record for each game, player and nonce; the same nonce updates it.",
    body: shapes.SetUserScore,
    answer: shapes.NewScore,
    run: ({ scores }, session, { score, nonce }) => ({
      success: true,
      newScore: scores.set(session, score, nonce),
    }),
  }),
  playerOperation({
    method: "getUserScores",
    summary: "List the player's scores, those set last first",
    body: shapes.GetUserScores,
    answer: shapes.ScoreList,
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
    body: shapes.GetLeaderboard,
    answer: shapes.Leaderboard,
    run: ({ games, scores }, { gameId, ...page }) => ({
      success: true,
      leaderboard: scores.leaderboard(games.get(gameId).id, page),
    }),
  }),
  openOperation({
    method: "getUsersPositionInGameScoreLeaderboard",
    services: ["launcher", "scores"],
    summary: "A player's place on a game's leaderboard",
    body: shapes.GetPosition,
    answer: shapes.Position,
    run({ games, players, scores }, { gameId, wallet }) {
      const game = games.get(gameId);
      const player = players.byAddress(wallet);
      return { success: true, position: player ? scores.position(game.id, player.id) : 0 };
    },
  }),
]);
