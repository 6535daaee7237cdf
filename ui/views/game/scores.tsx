import { Empty, Text } from "../../components/parts.tsx";
import { type Column, Table } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { number } from "../../models/format.ts";
import type { Score } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame } from "./context.ts";
import { useSeat } from "./seat.ts";
import { SlicePage } from "./slice.tsx";
import { useSlice } from "./use-slice.ts";

const COLUMNS: Column<Score>[] = [
  { title: "Score", number: true, cell: ({ score }) => number(score) },
  { title: "Nonce", cell: ({ nonce }) => <Text of={nonce} lines={2} /> },
  { title: "Set", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** A player's scores, those set last first; the best of them is on the leaderboard. */
export function Scores() {
  const { api } = useGame();
  const { player, game, access } = useSeat();
  const { list, filters } = useSlice<Score>({
    path: ["game", "players", player.id, "scores"],
    read: (slice) => api.scores(access(), slice),
    matters: ({ type, data }) => type === "score.set" && data.player === player.username,
  });
  return (
    <div class="stack">
      <p class="note">
        Latest first. The best counts on{" "}
        <a href={href(["game", "leaderboard"], { game: game.slug })}>the leaderboard</a>.
      </p>
      <SlicePage
        list={list}
        filters={filters}
        empty={
          <Empty title="This player has no score in the game.">
            <p>
              <code>set-user-score</code> sets one, and so does a rule: <code>leaderboard</code> with a value
              is a trigger to try under{" "}
              <a
                href={href(["game", "rules"], {
                  player: player.username,
                  game: game.slug,
                  trigger: "leaderboard",
                })}
              >
                Rules
              </a>
              .
            </p>
          </Empty>
        }
      >
        {(scores) => <Table label="Scores" columns={COLUMNS} items={scores} keyOf={({ _id }) => _id} />}
      </SlicePage>
    </div>
  );
}
