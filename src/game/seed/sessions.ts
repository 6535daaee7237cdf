import { DAY, HOUR, MINUTE, SECOND } from "../../world/duration.ts";
import { TOKEN_LIFE } from "../limits.ts";
import type { PlayerRow, SessionRow } from "../rows.ts";
import { signToken } from "../tokens.ts";
import type { SeededChannel } from "./channels.ts";
import { instants, type Seeding } from "./seeding.ts";

const SESSIONS = 24;
const PRESENT = 3;

/** Creates sessions from the past days in players' own channels: most expired or ended, some with a present player. */
export function seedSessions(seeding: Seeding, channels: SeededChannel[]): void {
  const { draws, makeId, now, save } = seeding;
  const own = channels.filter(({ row }) => row.kind === "own");
  const opened = instants(seeding, SESSIONS, now - 6 * DAY);
  for (const [index, at] of opened.entries()) {
    const { row: channel, members } = draws.pick(own);
    const present = index >= SESSIONS - PRESENT;
    const endedAt =
      !present && draws.chance(0.6) ? Math.min(now - MINUTE, at + draws.between(MINUTE, 3 * HOUR)) : null;
    save("game_sessions", {
      id: makeId("session", at),
      game: channel.game,
      player: members[0]!.id,
      channel: channel.id,
      token: null,
      opened_at: at,
      expires_at: Math.ceil(Math.max(at + DAY, present ? now + HOUR : 0) / SECOND) * SECOND,
      ended_at: endedAt,
      last_heartbeat_at: present ? now - draws.between(5, 90) * SECOND : (endedAt ?? at + 10 * MINUTE),
    } satisfies SessionRow);
  }
}

/** The main player's session, opened now. `sandglass env` prints its token. */
export async function seedMainSession(
  { games, makeId, now, save }: Seeding,
  channels: SeededChannel[],
): Promise<void> {
  const { game, players } = games[0]!;
  const [player] = players as [PlayerRow];
  const own = channels.find(
    ({ row, members }) => row.kind === "own" && row.game === game.id && members[0] === player,
  )!;
  const row: SessionRow = {
    id: makeId("session", now),
    game: game.id,
    player: player.id,
    channel: own.row.id,
    token: null,
    opened_at: now,
    expires_at: Math.floor((now + TOKEN_LIFE) / SECOND) * SECOND,
    ended_at: null,
    last_heartbeat_at: null,
  };
  save("game_sessions", { ...row, token: await signToken(player, game, row) });
}
