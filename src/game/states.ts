import type { GameContext } from "./context.ts";
import { checkJsonText, withJsonField } from "./json-text.ts";
import { DEFAULT_LABEL } from "./limits.ts";
import type { Page, StateRow } from "./rows.ts";
import type { Seat } from "./sessions.ts";

/** States that games store about players: one record per game, player and label, and one per round or run. */
export interface States {
  /**
   * Stores a state, replacing an earlier one with the same label. The text is stored unchanged, because its content id
   * depends on the bytes.
   * @param cid the text's content id
   * @returns the record as JSON
   * @throws GameError BadRequest if the state is not JSON
   */
  set(seat: Seat, state: string, cid: string, label?: string): string;
  /** A player's states as JSON, latest first, or only the one with a label. */
  list(seat: Seat, label: string | undefined, page: Page): string[];
  /**
   * Stores a player's progress in a round or run.
   * @param endTime when it ended, in milliseconds since the epoch; undefined while it continues
   * @throws GameError BadRequest if the state is not JSON
   */
  track(seat: Seat, session: string, state: string, endTime: number | undefined): void;
}

export function createStates({ world, makeId }: GameContext): States {
  const { store, clock, journal } = world;
  const set = store.sql(
    `insert into game_states (id, game, player, label, cid, state, updated_at) values (?, ?, ?, ?, ?, ?, ?)
     on conflict (game, player, label)
     do update set cid = excluded.cid, state = excluded.state, updated_at = excluded.updated_at`,
  );
  const idOf = store.sql<{ id: string }>(
    "select id from game_states where game = ? and player = ? and label = ?",
  );
  const page = store.sql<StateRow>(
    `select * from game_states where game = ? and player = ? and label = coalesce(?, label)
     order by updated_at desc, id desc limit ? offset ?`,
  );
  const setPlaySession = store.sql(
    `insert into game_play_sessions (game, player, session, state, end_time, created_at, updated_at)
     values (?, ?, ?, ?, ?, ?, ?)
     on conflict (game, player, session) do update set state = excluded.state,
       end_time = coalesce(excluded.end_time, end_time), updated_at = excluded.updated_at`,
  );

  return {
    set({ player, game }, state, cid, label = DEFAULT_LABEL) {
      checkJsonText("state", state);
      return store.transaction(() => {
        const now = clock.now();
        const id = idOf.get(game.id, player.id, label)?.id ?? makeId("state");
        set.run(id, game.id, player.id, label, cid, state, now);
        journal.append("state.set", {
          id,
          game: game.slug,
          player: player.username,
          label,
          bytes: Buffer.byteLength(state),
        });
        const row = { id, game: game.id, player: player.id, label, cid, state, updated_at: now };
        return stateJson(row, player.address);
      });
    },

    list: ({ player, game }, label, { limit, skip }) =>
      page.all(game.id, player.id, label ?? null, limit, skip).map((row) => stateJson(row, player.address)),

    track({ player, game }, session, state, endTime) {
      checkJsonText("state", state);
      store.transaction(() => {
        const now = clock.now();
        setPlaySession.run(game.id, player.id, session, state, endTime ?? null, now, now);
        const ended = endTime !== undefined;
        journal.append("play_session.tracked", { session, game: game.slug, player: player.username, ended });
      });
    },
  };
}

function stateJson(row: StateRow, address: string): string {
  const fields = {
    _id: row.id,
    gameId: row.game,
    ipfsHash: row.cid,
    normalizedAddress: address,
    label: row.label,
    updatedAt: row.updated_at,
  };
  return withJsonField(fields, "state", row.state);
}
