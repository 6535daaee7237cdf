import type { Binding } from "../../models/binding.ts";
import { chainName } from "../../models/chain-data/chains.ts";

interface ChainChoiceProps {
  chains: number[];
  of: Binding<number[]>;
}

/** Chains to ask; none chosen means all of them. */
export function ChainChoice({ chains, of }: ChainChoiceProps) {
  const chosen = of.value;
  const offered = [...new Set([...chains, ...chosen])];
  return (
    <fieldset class="chains">
      <legend class="note">Chains (all, if you choose none)</legend>
      <div class="choice">
        {offered.map((id) => (
          <label key={id} class="choice-one">
            <input
              type="checkbox"
              checked={chosen.includes(id)}
              onChange={({ currentTarget: { checked } }) => {
                of.value = checked ? [...chosen, id] : chosen.filter((other) => other !== id);
              }}
            />
            <span title={`chain_id ${id}`}>{chainName(id)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}
