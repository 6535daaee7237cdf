import named from "../../../fixtures/game/players.json" with { type: "json" };
import words from "../../../fixtures/game/usernames.json" with { type: "json" };
import { DAY } from "../../world/duration.ts";
import { drawAvatar } from "../avatar.ts";
import type { PlayerRow } from "../rows.ts";
import { HISTORY, type Seeding } from "./seeding.ts";

const PLAYERS = 60;
/** The period before the seeded history in which players joined one after another. */
const ARRIVALS = DAY / 2;

/** Wallet endings for which payments fail by design. Players must not have one. */
const MAGIC = /(?:dead|0bad|beef)$/;

/** The fraction of players in each game. The last game is new and has no players. */
const SHARES = [1, 0.7, 0.5, 0];

/** Creates players and distributes them among the games. The main player is in every game that has players. */
export function seedPlayers(seeding: Seeding): void {
  const { draws, games, now, save } = seeding;
  const players: PlayerRow[] = [];
  const usernames = new Set<string>();
  for (let index = 0; index < PLAYERS; index += 1) {
    const { username, address } = named[index] ?? {
      username: drawUsername(seeding, usernames),
      address: drawAddress(seeding),
    };
    usernames.add(username);
    const createdAt = now - HISTORY - (PLAYERS - index) * ARRIVALS + draws.between(0, ARRIVALS - 1);
    players.push({
      id: seeding.makeId("player", createdAt),
      address,
      username,
      avatar: drawAvatar(draws.next),
      created_at: createdAt,
    });
  }
  for (const player of players) save("game_players", player);
  for (const [index, game] of games.entries()) {
    const [main, ...others] = players as [PlayerRow, ...PlayerRow[]];
    const share = SHARES[index] ?? 0;
    if (share > 0) game.players = [main, ...draws.some(others, Math.round(others.length * share))];
  }
}

function drawUsername({ draws }: Seeding, taken: Set<string>): string {
  const forms = [
    () => `${draws.pick(words.adjectives)}_${draws.pick(words.creatures)}`,
    () => draws.pick(words.creatures) + draws.between(2, 99),
    () => `${draws.pick(words.adjectives)}${draws.pick(words.creatures)}`,
  ];
  let username = draws.pick(forms)();
  while (taken.has(username)) username = draws.pick(forms)();
  return username;
}

function drawAddress({ world }: Seeding): string {
  let address = world.ids.hex("player_address", 20);
  while (MAGIC.test(address)) address = world.ids.hex("player_address", 20);
  return address;
}
