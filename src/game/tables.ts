/**
 * The game launcher's tables. Ids are 24 hexadecimal characters, times are virtual milliseconds since the epoch, addresses
 * are lower case, and lists and states are JSON text. `game_best_scores` holds each player's best score in leaderboard
 * order; `game_channels.messages` counts a channel's messages. Writes keep both up to date.
 */
export const GAME_TABLES = [
  `create table game_players (
    id text primary key, address text not null unique, username text not null unique, avatar text not null,
    created_at integer instant not null
  ) without rowid;
  create table game_sessions (
    id text primary key, game text not null, player text not null, channel text not null, token text,
    opened_at integer instant not null, expires_at integer instant not null, ended_at integer instant, last_heartbeat_at integer instant
  ) without rowid;
  create index game_sessions_player on game_sessions (player, game, id);
  create table game_sign_ins (
    channel text primary key, game text not null, address text not null, created_at integer instant not null,
    expires_at integer instant not null
  ) without rowid;
  create table game_games (
    id text primary key, slug text not null unique, name text not null, secret text not null, signatures text not null,
    position integer not null
  ) without rowid;
  create table game_rules (name text primary key, position integer not null, rule text not null) without rowid;
  create table game_request_nonces (
    game text not null, nonce text not null, seen_at integer instant not null, primary key (game, nonce)
  ) without rowid;`,
  `create table game_channels (
    id text primary key, game text not null, kind text not null, name text not null, picture text not null,
    messages integer not null, created_at integer instant not null, updated_at integer instant not null
  ) without rowid;
  create table game_participants (
    channel text not null, player text not null, position integer not null, user_group integer not null,
    permissions text not null, primary key (channel, position)
  ) without rowid;
  create unique index game_participants_player on game_participants (player, channel);
  create table game_messages (
    channel text not null, id text not null, sender text not null, content text not null,
    created_at integer instant not null, updated_at integer instant not null, primary key (channel, id)
  ) without rowid;
  create unique index game_messages_id on game_messages (id);`,
  `create table game_states (
    id text primary key, game text not null, player text not null, label text not null, cid text not null,
    state text not null, updated_at integer instant not null, unique (game, player, label)
  );
  create table game_play_sessions (
    game text not null, player text not null, session text not null, state text not null, end_time integer instant,
    created_at integer instant not null, updated_at integer instant not null, primary key (game, player, session)
  );
  create table game_scores (
    id text primary key, game text not null, player text not null, nonce text not null, score real not null,
    updated_at integer instant not null, unique (game, player, nonce)
  );
  create index game_scores_best on game_scores (game, player, score desc, updated_at, id);
  create table game_best_scores (
    game text not null, score real not null, updated_at integer instant not null, id text not null, player text not null,
    nonce text not null, primary key (game, score desc, updated_at, id)
  ) without rowid;
  create unique index game_best_scores_player on game_best_scores (game, player);`,
  `create table game_activities (
    id text primary key, game text not null, player text not null, type text not null, event_id text not null,
    text text not null, created_at integer instant not null
  );
  create index game_activities_time on game_activities (created_at desc, id desc);
  create index game_activities_player on game_activities (player, created_at desc, id desc);
  create table game_items (
    id text primary key, game text not null, player text not null, name text not null, quantity integer not null,
    created_at integer instant not null
  );
  create index game_items_player on game_items (player, id);
  create table game_notifications (
    id text primary key, game text not null, player text not null, type text not null, message text not null,
    created_at integer instant not null
  );
  create table game_rule_runs (
    game text not null, player text not null, trigger_name text not null, nonce text not null, answer text not null,
    created_at integer instant not null, primary key (game, player, trigger_name, nonce)
  ) without rowid;
  create table game_rule_stats (
    rule text primary key, fired integer not null, skipped integer not null, last_fired_at integer instant,
    last_skipped_at integer instant, last_reason text
  ) without rowid;`,
];
