import { hasWords } from "../search.ts";
import type { Game, Player } from "./types.ts";

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
