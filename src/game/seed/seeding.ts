import lore from "../../../fixtures/game/lore.json" with { type: "json" };
import { HISTORY_DAYS } from "../../http/area.ts";
import { createDraws, type Draws } from "../../world/draws.ts";
import { DAY, HOUR, MINUTE } from "../../world/duration.ts";
import { createSave, type Save } from "../../world/save.ts";
import type { World } from "../../world/world.ts";
import type { Game } from "../context.ts";
import { KNOWN_GAMES } from "../games.ts";
import { createObjectIds, type MakeId } from "../object-id.ts";
import type { PlayerRow } from "../rows.ts";

export const HISTORY = HISTORY_DAYS * DAY;

/** The text and scores for a game; see fixtures/game/lore.json. */
export interface Lore {
  levels: string[];
  items: string[];
  foes: string[];
  scores: { top: number; step: number };
}

/** A game being seeded, with its players, most active first. */
export interface SeededGame {
  game: Game;
  lore: Lore;
  players: PlayerRow[];
}

export interface Seeding {
  world: World;
  draws: Draws;
  makeId: MakeId;
  save: Save;
  /** The current time of the clock, where the seeded history ends. */
  now: number;
  games: SeededGame[];
}

export const playedGames = ({ games }: Pick<Seeding, "games">): SeededGame[] =>
  games.filter(({ players }) => players.length > 0);

export function beginSeeding(world: World): Seeding {
  return {
    world,
    draws: createDraws(world.random, "game fixtures"),
    makeId: createObjectIds(world),
    save: createSave(world.store),
    now: world.clock.now(),
    games: KNOWN_GAMES.map((game) => ({
      game,
      lore: (lore as Record<string, Lore>)[game.slug]!,
      players: [],
    })),
  };
}

/** Relative activity for each hour of a day (UTC). */
const HOURS = [6, 4, 3, 2, 1, 1, 2, 3, 4, 5, 6, 6, 8, 8, 7, 8, 9, 12, 15, 18, 20, 19, 15, 10];
const WEIGHTED_HOURS = HOURS.flatMap((weight, hour) => Array<number>(weight).fill(hour));

/** Random past instants, oldest first, more frequent in the evening and towards the present. */
export function instants({ draws, now }: Seeding, count: number, since = now - HISTORY): number[] {
  const days = Math.max(1, Math.floor((now - since) / DAY));
  const midnight = Math.floor(now / DAY) * DAY;
  const times: number[] = [];
  while (times.length < count) {
    const daysAgo = Math.min(draws.between(0, days), draws.between(0, days));
    const at = midnight - daysAgo * DAY + draws.pick(WEIGHTED_HOURS) * HOUR + draws.between(0, HOUR - 1);
    if (at >= since && at < now - MINUTE) times.push(at);
  }
  return times.sort((a, b) => a - b);
}

export function tell({ draws }: Seeding, { lore, game }: SeededGame, text: string, name: string): string {
  const slots: Record<string, () => string> = {
    level: () => draws.pick(lore.levels),
    item: () => draws.pick(lore.items),
    foe: () => draws.pick(lore.foes),
    n: () => String(draws.between(2, 99)),
    game: () => game.name,
    name: () => name,
    username: () => name,
  };
  return text.replace(/\{(\w+)\}/g, (whole, slot: string) => slots[slot]?.() ?? whole);
}
