import type { World } from "../../world/world.ts";

/** What players did before an instant. They, their channels, states and scores stay. */
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
