import { useSignal } from "@preact/signals";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { type Column, ListPage, useList } from "../../components/list-page.tsx";
import { Empty, Text, Time } from "../../components/parts.tsx";
import { bytes, number } from "../../models/format.ts";
import type { Score, State } from "../../models/game/types.ts";
import { href } from "../../models/router.ts";
import { useGame, useSeat } from "./context.ts";

/** What the game keeps of a player, under labels. */
export function States() {
  const { api } = useGame();
  const { player, game, access } = useSeat();
  const page = useList<State>({
    path: ["game", "players", player.id, "states"],
    names: ["game"],
    read: (_query, slice) => api.states(access(), slice),
    matters: ({ type, data }) => type === "state.set" && data.player === player.username,
  });
  return (
    <ListPage
      of={page}
      empty={
        <Empty title="The game stored no state of this player.">
          <code>set-state</code> with a token for <Text of={game.name} /> stores a state under each label.
        </Empty>
      }
    >
      {(states) => (
        <ul class="rows">
          {states.map((state) => (
            <li key={state._id}>
              <StateDetails state={state} />
            </li>
          ))}
        </ul>
      )}
    </ListPage>
  );
}

/** A state may be large: it is drawn when it is opened. */
function StateDetails({ state: { label, state, ipfsHash, updatedAt } }: { state: State }) {
  const open = useSignal(false);
  return (
    <details class="message" onToggle={({ currentTarget }) => (open.value = currentTarget.open)}>
      <summary class="flow">
        <Time at={updatedAt} />
        <Text as="span" class="row-main" of={label} lines={2} />
        <span class="note">{bytes(new TextEncoder().encode(JSON.stringify(state)).length)}</span>
      </summary>
      {open.value && (
        <div class="stack">
          <CopyLine text={ipfsHash} what="the content id" />
          <CodeBlock
            text={JSON.stringify(state, null, 2)}
            what={`the state ${label.slice(0, 80)}`}
            label="State"
          />
        </div>
      )}
    </details>
  );
}

const COLUMNS: Column<Score>[] = [
  { title: "Score", number: true, cell: ({ score }) => number(score) },
  { title: "Nonce", cell: ({ nonce }) => <Text of={nonce} lines={2} /> },
  { title: "Set", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

/** A player's scores, those set last first; the best of them is on the leaderboard. */
export function Scores() {
  const { api } = useGame();
  const { player, game, access } = useSeat();
  const page = useList<Score>({
    path: ["game", "players", player.id, "scores"],
    names: ["game"],
    read: (_query, slice) => api.scores(access(), slice),
    matters: ({ type, data }) => type === "score.set" && data.player === player.username,
  });
  return (
    <div class="stack">
      <p class="note">
        Latest first. The best counts on{" "}
        <a href={href(["game", "leaderboard"], { game: game.slug })}>the leaderboard</a>.
      </p>
      <ListPage
        label="Scores"
        of={page}
        columns={COLUMNS}
        keyOf={({ _id }) => _id}
        empty={
          <Empty title="This player has no score in the game.">
            <code>set-user-score</code> sets one, and so does a rule: <code>leaderboard</code> with a value is
            a trigger to try under{" "}
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
          </Empty>
        }
      />
    </div>
  );
}
