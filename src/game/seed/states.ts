import { cidOf } from "../cid.ts";
import type { PlayerRow, StateRow } from "../rows.ts";
import { instants, playedGames, type SeededGame, type Seeding } from "./seeding.ts";

/** The size of the largest seeded state, in bytes. */
const WORLD_BYTES = 100 * 1024;

type Shape = [label: string, make: (seeding: Seeding, of: SeededGame) => unknown];

/** Kinds of states that games store, small to large. The main player has one of each, other players a few. */
const SHAPES: Shape[] = [
  ["coins", ({ draws }) => draws.between(0, 9_999)],
  ["tutorial-seen", ({ draws }) => draws.chance(0.9)],
  ["title", (_seeding, { lore }) => `Keeper of ${lore.levels[0]} ✨`],
  ["last-error", () => null],
  [
    "settings",
    ({ draws }) => ({
      audio: { music: draws.between(0, 10) / 10, effects: 1 },
      controls: { invertY: draws.chance(0.2), keys: { jump: "Space", dash: "ShiftLeft", map: "KeyM" } },
      language: draws.pick(["en", "es", "de", "ja", "pt-BR"]),
    }),
  ],
  ["unlocked", ({ draws }, { lore }) => draws.some(lore.levels, draws.between(1, lore.levels.length))],
  ["save-1", saveSlot],
  ["save-2", saveSlot],
  [
    "inventory",
    ({ draws }, { lore }) => ({
      slots: Array.from({ length: draws.between(10, 60) }, (_, slot) => ({
        slot,
        item: draws.pick(lore.items),
        quantity: draws.between(1, 99),
        durability: draws.between(0, 100) / 100,
      })),
    }),
  ],
];

/** The fraction of players with a state of each kind. */
const SHARE = 0.06;

export function seedStates(seeding: Seeding): void {
  const { draws, makeId, save } = seeding;
  const played = playedGames(seeding);
  const planned: { of: SeededGame; player: PlayerRow; label: string; state: string }[] = [];
  for (const of of played) {
    for (const [index, player] of of.players.entries()) {
      const first = index === 0 && of === played[0];
      for (const [label, make] of SHAPES)
        if (first || draws.chance(SHARE))
          planned.push({ of, player, label, state: JSON.stringify(make(seeding, of)) });
      if (first) planned.push({ of, player, label: "world", state: worldMap(seeding, of) });
    }
  }
  const times = instants(seeding, planned.length);
  for (const { of, player, label, state } of draws.some(planned, planned.length)) {
    const at = times.shift()!;
    save("game_states", {
      id: makeId("state", at),
      game: of.game.id,
      player: player.id,
      label,
      cid: cidOf(state),
      state,
      updated_at: at,
    } satisfies StateRow);
  }
}

function saveSlot({ draws }: Seeding, { lore }: SeededGame): unknown {
  const level = draws.between(0, lore.levels.length - 1);
  return {
    version: 3,
    level: { name: lore.levels[level], checkpoint: draws.between(0, 7) },
    player: { health: draws.between(1, 100), position: { x: draws.between(-500, 500) / 4, y: 0, z: 12.5 } },
    quests: draws.some(lore.foes, 2).map((foe) => ({ title: `Find ${foe}`, done: draws.chance(0.5) })),
    flags: {},
    notes: [],
  };
}

/** A state with a game map, of exactly the maximum size. */
function worldMap({ draws }: Seeding, { lore }: SeededGame): string {
  const head = `{"version":3,"name":${JSON.stringify(lore.levels[1])},"width":256,"tiles":"`;
  const tail = `"}`;
  const tiles = Array.from({ length: 4_096 }, () => draws.pick(["..", "..", "~~", "##", "^^", "L."])).join(
    "",
  );
  const length = WORLD_BYTES - Buffer.byteLength(head) - Buffer.byteLength(tail);
  return head + tiles.repeat(Math.ceil(length / tiles.length)).slice(0, length) + tail;
}
