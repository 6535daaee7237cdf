import { useSignal } from "@preact/signals";
import { CodeBlock, CopyLine } from "../../components/copy.tsx";
import { Empty, Text } from "../../components/parts.tsx";
import { Time } from "../../components/time.tsx";
import { bytes } from "../../models/format.ts";
import type { State } from "../../models/game/types.ts";
import { useGame } from "./context.ts";
import { useSeat } from "./seat.ts";
import { SlicePage } from "./slice.tsx";
import { useSlice } from "./use-slice.ts";

/** What the game keeps of a player, under labels. */
export function States() {
  const { api } = useGame();
  const { player, game, access } = useSeat();
  const { list, filters } = useSlice<State>({
    path: ["game", "players", player.id, "states"],
    read: (slice) => api.states(access(), slice),
    matters: ({ type, data }) => type === "state.set" && data.player === player.username,
  });
  return (
    <SlicePage
      list={list}
      filters={filters}
      empty={
        <Empty title="The game stored no state of this player.">
          <p>
            <code>set-state</code> with a token for <Text of={game.name} /> stores a state under each label.
          </p>
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
    </SlicePage>
  );
}

/** A state may be large: it is drawn when it is opened. */
function StateDetails({ state: { label, state, ipfsHash, updatedAt } }: { state: State }) {
  const open = useSignal(false);
  return (
    <details
      class="message"
      onToggle={({ currentTarget }) => {
        open.value = currentTarget.open;
      }}
    >
      <summary class="flow">
        <Time at={updatedAt} />
        <span class="row-main">
          <Text of={label} lines={2} />
        </span>
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
