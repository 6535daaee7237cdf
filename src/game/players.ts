import words from "../../fixtures/game/usernames.json" with { type: "json" };
import { inserter } from "../world/save.ts";
import type { World } from "../world/world.ts";
import { drawAvatar } from "./avatar.ts";
import type { GameContext } from "./context.ts";
import { notAuthenticated } from "./errors.ts";
import type { PlayerRow } from "./rows.ts";

export const ADDRESS = /^0x[0-9a-fA-F]{40}$/;

/** A world's players. Address lookups are case-insensitive. */
export interface Players {
  byId(id: string): PlayerRow | undefined;
  byAddress(address: string): PlayerRow | undefined;
  /** Finds a player by id, address or username. */
  find(name: string): PlayerRow | undefined;
  /** Lists all players in the order in which they joined. */
  list(): PlayerRow[];
  first(): PlayerRow | undefined;
  /**
   * Returns the player with a wallet, creating one if necessary. Missing values are generated at random, and so is the
   * replacement for a name that is taken.
   */
  join(address: string, look?: { [Name in "username" | "avatar"]?: string | undefined }): PlayerRow;
  /** Removes a player with all their data. The player's tokens from this sandbox are rejected from now on. */
  remove(player: PlayerRow): void;
}

/** Tables with a player's data. Messages stay, because other players can read them. */
const OWNED = [
  "game_best_scores",
  "game_scores",
  "game_states",
  "game_play_sessions",
  "game_activities",
  "game_items",
  "game_notifications",
  "game_rule_runs",
  "game_participants",
];

export function createPlayers({ world, makeId }: GameContext): Players {
  const { store, clock, journal, random } = world;
  const byId = store.sql<PlayerRow>("select * from game_players where id = ?");
  const byAddress = store.sql<PlayerRow>("select * from game_players where address = ?");
  const byUsername = store.sql<PlayerRow>("select * from game_players where username = ?");
  const all = store.sql<PlayerRow>("select * from game_players order by created_at, id");
  const first = store.sql<PlayerRow>("select * from game_players order by created_at, id limit 1");
  const save = inserter<PlayerRow>(store, "game_players");
  const remove = store.sql("delete from game_players where id = ?");
  const removeOwned = OWNED.map((table) => store.sql(`delete from ${table} where player = ?`));

  return {
    byId: (id) => byId.get(id),
    byAddress: (address) => byAddress.get(address.toLowerCase()),
    find: (name) => byId.get(name) ?? byAddress.get(name.toLowerCase()) ?? byUsername.get(name),
    list: () => all.all(),
    first: () => first.get(),

    join(address, { username, avatar } = {}) {
      return store.transaction(() => {
        const existing = byAddress.get(address.toLowerCase());
        if (existing) return existing;
        const isTaken = (name: string) => byUsername.get(name) !== undefined;
        const row: PlayerRow = {
          id: makeId("player"),
          address: address.toLowerCase(),
          username: username === undefined || isTaken(username) ? drawUsername(random, isTaken) : username,
          avatar: avatar ?? drawAvatar(random.draw("avatar")),
          created_at: clock.now(),
        };
        save(row);
        journal.append("player.joined", { id: row.id, address: row.address, username: row.username });
        return row;
      });
    },

    remove(player) {
      store.transaction(() => {
        for (const statement of removeOwned) statement.run(player.id);
        remove.run(player.id);
        journal.append("player.removed", { id: player.id, username: player.username });
      });
    },
  };
}

/** Generates an unused name, adding a number if the words are taken. */
export function drawUsername(random: World["random"], isTaken: (name: string) => boolean): string {
  const draw = random.draw("username");
  const word = (list: readonly string[]) => list[draw() % list.length]!;
  const name = `${word(words.adjectives)}_${word(words.creatures)}`;
  let username = name;
  while (isTaken(username)) username = name + (draw() % 10_000);
  return username;
}

/** The error for a token from this sandbox whose player no longer exists. */
export function playerGone(id: string): Error {
  return notAuthenticated(
    `The player '${id}' of launcherJwt does not exist in this world. POST /_sandbox/game/tokens mints a token for another player.`,
  );
}
