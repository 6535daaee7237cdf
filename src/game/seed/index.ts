import type { World } from "../../world/world.ts";
import { seedActivities } from "./activities.ts";
import { seedChannels, seedMessages } from "./channels.ts";
import { seedPlayers } from "./players.ts";
import { seedScores } from "./scores.ts";
import { beginSeeding } from "./seeding.ts";
import { seedMainSession, seedSessions } from "./sessions.ts";
import { seedStates } from "./states.ts";

/**
 * Fills a world's game launcher with players and days of activity. The same seed and start give the same rows everywhere.
 * Writes nothing to the journal.
 */
export async function seedGame(world: World): Promise<void> {
  const seeding = beginSeeding(world);
  const channels = world.store.transaction(() => {
    seedPlayers(seeding);
    const channels = seedChannels(seeding);
    seedMessages(seeding, channels);
    seedSessions(seeding, channels);
    seedScores(seeding);
    seedActivities(seeding);
    seedStates(seeding);
    return channels;
  });
  await seedMainSession(seeding, channels);
}

/** Tables with past activity of players. Players, channels, states and scores stay. */
const PAST = [
  "game_messages where created_at < ?",
  "game_activities where created_at < ?",
  "game_items where created_at < ?",
  "game_notifications where created_at < ?",
  "game_sessions where opened_at < ?",
];

/** Removes what is older than an instant from the invented past. */
export function shortenGame({ store }: World, before: number): void {
  store.transaction(() => {
    for (const past of PAST) store.sql(`delete from ${past}`).run(before);
    store
      .sql(
        "update game_channels set messages = (select count(*) from game_messages where channel = game_channels.id)",
      )
      .run();
  });
}
