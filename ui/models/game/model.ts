import { createModel, effect, type ReadonlySignal, signal } from "@preact/signals";
import type { Duration } from "../../api-types.ts";
import type { Live } from "../../live.ts";
import { ofTypes, refreshOn } from "../refresh.ts";
import type { Access, GameApi } from "./api.ts";
import { openSession } from "./players.ts";
import type { Game, Player, Session, Token } from "./types.ts";

/** The lifetime of a token that the page mints for itself. */
export const OWN_LIFETIME = "1h";

export type GameModel = InstanceType<typeof GameModel>;

/**
 * Games, players and sessions, which every part of the view needs.
 * @param now virtual milliseconds
 */
export const GameModel = createModel((api: GameApi, live: Live, now: () => number) => {
  const games = signal<Game[] | undefined>(undefined);
  const players = signal<Player[]>([]);
  const sessions = signal<Session[]>([]);
  const error = signal<Error | undefined>(undefined);
  let reading = false;

  async function read(): Promise<void> {
    try {
      const [found, people, opened] = await Promise.all([api.games(), api.players(), api.sessions()]);
      players.value = people;
      sessions.value = opened;
      games.value = found;
      error.value = undefined;
    } catch (reason) {
      error.value = reason as Error;
    }
  }

  async function readSessions(): Promise<void> {
    if (reading) return;
    reading = true;
    const opened = await api.sessions().catch(() => undefined);
    reading = false;
    if (opened && JSON.stringify(opened) !== JSON.stringify(sessions.peek())) sessions.value = opened;
  }

  async function mint(player: Player, game: Game, expiresIn: Duration): Promise<Token> {
    const token = await api.mint({ player: player.id, gameId: game.id, expiresIn });
    await read();
    return token;
  }

  effect(() => refreshOn(live, ofTypes("player.*", "session.*", "rule.fired"), read));
  void read();

  return {
    games: games as ReadonlySignal<Game[] | undefined>,
    players: players as ReadonlySignal<Player[]>,
    sessions: sessions as ReadonlySignal<Session[]>,
    error: error as ReadonlySignal<Error | undefined>,
    read,
    /** Who is present: heartbeats are in no journal. What failed is said by the next reading of all. */
    readSessions,
    mint,
    /** A token of a player that holds: the newest there is, else one that is minted. */
    async access(player: Player, game: Game): Promise<Access> {
      const openToken = openSession(sessions.peek(), player.id, game.id, now())?.token;
      return { game, token: openToken ?? (await mint(player, game, OWN_LIFETIME)).token };
    },
  };
});
