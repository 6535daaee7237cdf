import type { World } from "../../world/world.ts";
import { loadCidOf } from "../cid.ts";
import { seedActivities } from "./activities.ts";
import { seedChannels } from "./channels.ts";
import { seedMessages } from "./messages.ts";
import { seedPlayers } from "./players.ts";
import { seedScores } from "./scores.ts";
import { beginSeeding } from "./seeding.ts";
import { seedMainSession, seedSessions } from "./sessions.ts";
import { seedStates } from "./states.ts";

export { shortenGame } from "./shorten.ts";

/**
 * Fills a world's game launcher: players, and 120 days of what they did. The same seed and start give the same rows
 * everywhere. Writes nothing to the journal.
 */
export async function seedGame(world: World): Promise<void> {
  const cidOf = await loadCidOf();
  const seeding = beginSeeding(world);
  const channels = world.store.transaction(() => {
    seedPlayers(seeding);
    const channels = seedChannels(seeding);
    seedMessages(seeding, channels);
    seedSessions(seeding, channels);
    seedScores(seeding);
    seedActivities(seeding);
    seedStates(seeding, cidOf);
    return channels;
  });
  await seedMainSession(seeding, channels);
}
