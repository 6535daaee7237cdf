import { Type } from "typebox";
import { shape } from "../../http/shapes.ts";
import { SCORES_PAGE_SIZE } from "../limits.ts";
import {
  GameId,
  launcherBody,
  Millis,
  Nonce,
  NormalizedAddress,
  ObjectId,
  pageFields,
  Success,
  Wallet,
} from "./common.ts";

const scoreFields = {
  _id: ObjectId,
  nonce: Type.String(),
  gameId: Type.String(),
  normalizedAddress: NormalizedAddress,
  score: Type.Number(),
  updatedAt: Millis,
};
export const Score = shape("Score", scoreFields);
export const LeaderboardEntry = shape("LeaderboardEntry", {
  ...scoreFields,
  username: Type.String(),
  avatar: Type.String(),
});

export const SetUserScore = launcherBody("SetUserScore", {
  score: Type.Number({ examples: [1_250] }),
  nonce: Type.Optional({ ...Nonce, description: "One record for each; one is made without it." }),
});
export const NewScore = shape("NewScore", { success: Success, newScore: Score });
export const GetUserScores = launcherBody("GetUserScores", {
  nonce: Type.Optional({ ...Nonce, description: "Only the score with this nonce." }),
  ...pageFields(SCORES_PAGE_SIZE),
});
export const ScoreList = shape("ScoreList", { success: Success, scores: Type.Array(Score) });
export const GetLeaderboard = shape("GetGameScoresLeaderboard", {
  gameId: GameId,
  ...pageFields(SCORES_PAGE_SIZE),
});
export const Leaderboard = shape("Leaderboard", {
  success: Success,
  leaderboard: Type.Array(LeaderboardEntry),
});
export const GetPosition = shape("GetUsersPositionInGameScoreLeaderboard", {
  gameId: GameId,
  wallet: Wallet,
});
export const Position = shape("Position", {
  success: Success,
  position: Type.Integer({ minimum: 0, description: "From 1; 0 for a player without a score." }),
});
