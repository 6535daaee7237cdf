import type { Static } from "typebox";
import type * as control from "../../../src/control/game-schemas.ts";
import type {
  Activity as ActivitySchema,
  TriggerResult as TriggerResultSchema,
} from "../../../src/game/schemas/activities.ts";
import type {
  ChannelMessage as ChannelMessageSchema,
  Channel as ChannelSchema,
} from "../../../src/game/schemas/channels.ts";
import type {
  LeaderboardEntry as LeaderboardEntrySchema,
  Score as ScoreSchema,
} from "../../../src/game/schemas/scores.ts";
import type { UserState as UserStateSchema } from "../../../src/game/schemas/states.ts";

/** What the game launcher says and takes, as its own schemas have it. */

export type Game = Static<typeof control.Game>;
export type Player = Static<typeof control.Player>;
export type Session = Static<typeof control.Session>;
export type Token = Static<typeof control.Token>;
export type TokenRequest = Static<typeof control.TokenBody>;
export type MessageRequest = Static<typeof control.MessageBody>;
export type Rule = Static<typeof control.Rule>;

export type Channel = Static<typeof ChannelSchema>;
export type ChannelMessage = Static<typeof ChannelMessageSchema>;
export type State = Static<typeof UserStateSchema>;
export type Score = Static<typeof ScoreSchema>;
export type LeaderboardEntry = Static<typeof LeaderboardEntrySchema>;
export type Activity = Static<typeof ActivitySchema>;
export type TriggerResult = Static<typeof TriggerResultSchema>;

export interface Trigger {
  trigger: string;
  value?: number;
  nonce?: string;
}
