import { type Column, ListPage, PAGE_SIZE, Table, useList } from "../../components/list-page.tsx";
import { Empty, Text, Time } from "../../components/parts.tsx";
import { bind } from "../../models/binding.ts";
import { number } from "../../models/format.ts";
import { findPlayer } from "../../models/game/players.ts";
import type { LeaderboardEntry } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";
import { GameChoice, gameNamed, PlayerLink } from "./parts.tsx";

type Ranked = LeaderboardEntry & { rank: number };

/** Each player's best score in a game, highest first. */
export function Leaderboard() {
  const { api, games, model } = useGame();
  const page = useList<LeaderboardEntry>({
    path: ["game", "leaderboard"],
    names: ["game"],
    read: (query, slice) => api.leaderboard(gameNamed(games, query.game as string).id, slice),
    matters: ({ type }) => type === "score.set" || type === "player.removed",
  });
  const game = gameNamed(games, page.filters.values.value.game);
  const columns: Column<Ranked>[] = [
    { title: "Place", number: true, cell: ({ rank }) => rank },
    {
      title: "Player",
      cell: ({ normalizedAddress, username }) => {
        const player = findPlayer(model.players.value, normalizedAddress);
        return player ? <PlayerLink id={player.id} username={username} /> : <Text of={username} lines={2} />;
      },
    },
    { title: "Best score", number: true, cell: ({ score }) => <b>{number(score)}</b> },
    { title: "Set", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
  ];
  return (
    <div class="stack">
      <GameChoice of={bind(game.slug, (slug) => page.filters.set({ game: slug }))} />
      <ListPage
        of={page}
        words={["Higher", "Lower"]}
        empty={
          <Empty title="No scores in this game yet.">
            <code>set-user-score</code> sets one, and so does{" "}
            <a href={href(["game", "rules"], { game: game.slug, trigger: "leaderboard" })}>a rule</a>.
          </Empty>
        }
      >
        {(entries) => (
          <Table
            label={`Leaderboard of ${game.name}`}
            columns={columns}
            items={entries.map((entry, index) => ({
              ...entry,
              rank: (page.filters.page.value - 1) * PAGE_SIZE + index + 1,
            }))}
            keyOf={({ _id }) => _id}
          />
        )}
      </ListPage>
    </div>
  );
}
