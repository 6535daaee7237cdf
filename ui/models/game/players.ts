import { hasWords } from "../filters.ts";
import { toMs } from "../format.ts";
import type { Game, Player, Session } from "./types.ts";

const lower = (text: string) => text.toLowerCase();

/** Players whose name, address or id has each of the words. */
export function searchPlayers(players: readonly Player[], search: string): Player[] {
  return players.filter(({ id, address, username }) => hasWords(`${username} ${address} ${id}`, search));
}

/** The player whom an id, address or username names. */
export function findPlayer(players: readonly Player[], name: string): Player | undefined {
  const wanted = lower(name.trim());
  return players.find((player) =>
    [player.id, player.address, player.username].some((own) => lower(own) === wanted),
  );
}

/** Who wrote a message: a player by the address, or the game by its id. */
export function senderName(sender: string, players: readonly Player[], games: readonly Game[]): string {
  const game = games.find(({ id }) => id === sender);
  return game?.name ?? players.find(({ address }) => address === sender)?.username ?? sender;
}

/** `2 Boss trophy, 1 Lamp`; a game's own when one is named. */
export function itemsText({ items }: Player, game?: string): string {
  return items
    .filter(({ game_id }) => game === undefined || game_id === game)
    .map(({ name, quantity }) => `${quantity} × ${name}`)
    .join(", ");
}

export type SessionState = "present" | "open" | "expired" | "ended";

/** How it is with a session at a virtual instant. */
export function stateOf({ ended_at, expires_at, present }: Session, now: number): SessionState {
  if (ended_at !== null) return "ended";
  if (toMs(expires_at) <= now) return "expired";
  return present ? "present" : "open";
}

/** Whether a session can still be used, and ended. */
export const goesOn = (state: SessionState): boolean => state === "present" || state === "open";

const holds = (session: Session, now: number) => session.token !== null && goesOn(stateOf(session, now));

/** The newest session of a player with a game whose token holds; the list has the newest first. */
export function openSession(
  sessions: readonly Session[],
  player: string,
  game: string,
  now: number,
): Session | undefined {
  return sessions.find(
    (session) => session.player_id === player && session.game_id === game && holds(session, now),
  );
}

/** How many sessions of each player go on. */
export function openCounts(sessions: readonly Session[], now: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const session of sessions)
    if (goesOn(stateOf(session, now)))
      counts.set(session.player_id, (counts.get(session.player_id) ?? 0) + 1);
  return counts;
}
