import { Type } from "typebox";
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
export const Score = Type.Object(scoreFields, { title: "Score" });
export const LeaderboardEntry = Type.Object(
  { ...scoreFields, username: Type.String(), avatar: Type.String() },
  { title: "LeaderboardEntry" },
);

export const SetUserScore = launcherBody("SetUserScore", {
  score: Type.Number({ examples: [1_250] }),
  nonce: Type.Optional({ ...Nonce, description: "One record for each; one is made without it." }),
});
export const NewScore = Type.Object({ success: Success, newScore: Score }, { title: "NewScore" });
export const GetUserScores = launcherBody("GetUserScores", {
  nonce: Type.Optional({ ...Nonce, description: "Only the score with this nonce." }),
  ...pageFields(SCORES_PAGE_SIZE),
});
export const ScoreList = Type.Object({ success: Success, scores: Type.Array(Score) }, { title: "ScoreList" });
export const GetLeaderboard = Type.Object(
  { gameId: GameId, ...pageFields(SCORES_PAGE_SIZE) },
  { title: "GetGameScoresLeaderboard" },
);
export const Leaderboard = Type.Object(
  { success: Success, leaderboard: Type.Array(LeaderboardEntry) },
  { title: "Leaderboard" },
);
export const GetPosition = Type.Object(
  { gameId: GameId, wallet: Wallet },
  { title: "GetUsersPositionInGameScoreLeaderboard" },
);
export const Position = Type.Object(
  {
    success: Success,
    position: Type.Integer({ minimum: 0, description: "From 1; 0 for a player without a score." }),
  },
  { title: "Position" },
);
