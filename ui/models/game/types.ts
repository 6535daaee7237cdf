import type { Static } from "typebox";
import type * as activities from "../../../src/game/schemas/activities.ts";
import type * as channels from "../../../src/game/schemas/channels.ts";
import type * as scores from "../../../src/game/schemas/scores.ts";
import type * as states from "../../../src/game/schemas/states.ts";
import type * as control from "../../../src/operations/schemas/game.ts";

/** What the game launcher says and takes, as its own schemas have it. */

export type Game = Static<typeof control.Game>;
export type Player = Static<typeof control.Player>;
export type Session = Static<typeof control.Session>;
export type Signature = Static<typeof control.Signature>;
export type Token = Static<typeof control.Token>;
export type TokenRequest = Static<typeof control.TokenBody>;
export type MessageRequest = Static<typeof control.MessageBody>;
export type Rule = Static<typeof control.Rule>;
export type Channel = Static<typeof channels.Channel>;
export type ChannelMessage = Static<typeof channels.ChannelMessage>;
export type State = Static<typeof states.UserState>;
export type Score = Static<typeof scores.Score>;
export type LeaderboardEntry = Static<typeof scores.LeaderboardEntry>;
export type Activity = Static<typeof activities.Activity>;
export type TriggerResult = Static<typeof activities.TriggerResult>;

export interface Trigger {
  trigger: string;
  value?: number;
  nonce?: string;
}
