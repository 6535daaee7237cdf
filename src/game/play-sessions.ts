import type { GameContext } from "./context.ts";
import { checkJsonText } from "./json-text.ts";
import type { Seat } from "./sessions.ts";

/** How far players came in a round or a run, as their game tells it; the game names each. */
export function createPlaySessions({ world }: GameContext) {
  const { store, clock, journal } = world;
  const set = store.sql(
    `insert into game_play_sessions (game, player, session, state, end_time, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (game, player, session) do update set state = excluded.state,
       end_time = coalesce(excluded.end_time, end_time), updated_at = excluded.updated_at`,
  );

  return {
    /** @throws GameError BadRequest when the state is no JSON */
    track({ player, game }: Seat, session: string, state: string, endTime: number | undefined): void {
      checkJsonText("state", state);
      store.transaction(() => {
        const now = clock.now();
        set.run(game.id, player.id, session, state, endTime ?? null, now, now);
        journal.append("play_session.tracked", {
          session,
          game: game.slug,
          player: player.username,
          ended: endTime !== undefined,
        });
      });
    },
  };
}
