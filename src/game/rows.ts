/** Pagination limits, already validated by the operation's schema. */
export interface Page {
  limit: number;
  skip: number;
}

export interface PlayerRow {
  id: string;
  address: string;
  username: string;
  avatar: string;
  created_at: number;
}

export interface SessionRow {
  id: string;
  game: string;
  player: string;
  channel: string;
  /** The session's launcher JWT; null if the user's code signed it. */
  token: string | null;
  opened_at: number;
  expires_at: number;
  ended_at: number | null;
  last_heartbeat_at: number | null;
}

/** `own`: a player's channel with the game; `direct`: between two players; `group`: any other. */
export const CHANNEL_KINDS = ["own", "direct", "group"] as const;
export type ChannelKind = (typeof CHANNEL_KINDS)[number];

export interface ChannelRow {
  id: string;
  game: string;
  kind: ChannelKind;
  name: string;
  picture: string;
  messages: number;
  created_at: number;
  updated_at: number;
}

export interface ParticipantRow {
  channel: string;
  player: string;
  position: number;
  user_group: number;
  permissions: string;
}

export interface MessageRow {
  channel: string;
  id: string;
  /** A player's address, or the game's id for the game's own messages. */
  sender: string;
  content: string;
  created_at: number;
  updated_at: number;
}

export interface StateRow {
  id: string;
  game: string;
  player: string;
  label: string;
  cid: string;
  state: string;
  updated_at: number;
}

export interface ScoreRow {
  id: string;
  game: string;
  player: string;
  nonce: string;
  score: number;
  updated_at: number;
}

/**
 * Whether an activity happened on the chain.
 * @example
 * const type: ActivityType = "on-chain";
 */
export type ActivityType = "on-chain" | "off-chain";
export const ACTIVITY_TYPES = ["on-chain", "off-chain"] as const satisfies readonly ActivityType[];

export interface ActivityRow {
  id: string;
  game: string;
  player: string;
  type: ActivityType;
  event_id: string;
  text: string;
  created_at: number;
}
