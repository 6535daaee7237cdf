import templates from "../../../fixtures/game/activities.json" with { type: "json" };
import { DAY } from "../../world/duration.ts";
import type { ActivityRow } from "../rows.ts";
import { instants, playedGames, type Seeding, tell } from "./seeding.ts";

const ACTIVITIES = 400;
const ON_CHAIN = 0.4;
const ITEMS = 80;
const NOTIFICATIONS = 12;

export function seedActivities(seeding: Seeding): void {
  const { draws, makeId, save } = seeding;
  const played = playedGames(seeding);
  for (const at of instants(seeding, ACTIVITIES)) {
    const of = draws.pickEarly(played);
    const player = draws.pickEarly(of.players);
    const type = draws.chance(ON_CHAIN) ? "on-chain" : "off-chain";
    const { event, text } = draws.pick(templates[type]);
    save("game_activities", {
      id: makeId("activity", at),
      game: of.game.id,
      player: player.id,
      type,
      event_id: `${event}-${draws.between(1, 40)}`,
      text: tell(seeding, of, text, player.username),
      created_at: at,
    } satisfies ActivityRow);
  }
  for (const at of instants(seeding, ITEMS)) {
    const of = draws.pickEarly(played);
    save("game_items", {
      id: makeId("item", at),
      game: of.game.id,
      player: draws.pickEarly(of.players).id,
      name: draws.pick(of.lore.items),
      quantity: draws.chance(0.2) ? draws.between(2, 20) : 1,
      created_at: at,
    });
  }
  for (const at of instants(seeding, NOTIFICATIONS, seeding.now - 2 * DAY)) {
    const of = draws.pickEarly(played);
    const good = draws.chance(0.8);
    save("game_notifications", {
      id: makeId("notification", at),
      game: of.game.id,
      player: draws.pickEarly(of.players).id,
      type: good ? "success" : "error",
      message: good ? `Saved at ${draws.pick(of.lore.levels)}.` : "The connection was lost; trying again.",
      created_at: at,
    });
  }
}
