import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { Field } from "../../components/field.tsx";
import { Button } from "../../components/parts.tsx";
import { chainsOf } from "../../models/chain-data/chains.ts";
import { readSymbols } from "../../models/chain-data/question.ts";
import { ChainChoice } from "./chain-choice.tsx";
import { useData } from "./context.ts";

interface LookupFormProps {
  symbols: string[];
  chains: number[];
  onAsk: (symbols: string[], chains: number[]) => void;
}

/** Which symbols, on which chains. */
export function LookupForm({ symbols, chains, onAsk }: LookupFormProps) {
  const { providers } = useData();
  const text = useSignal("");
  const chosen = useSignal<number[]>([]);
  const problem = useSignal("");
  useEffect(() => {
    text.value = symbols.join(" ");
    chosen.value = chains;
    problem.value = "";
  }, [symbols.join(), chains.join()]);
  const ask = () => {
    const read = readSymbols(text.value);
    problem.value = "problem" in read ? read.problem : "";
    if ("symbols" in read) onAsk(read.symbols, chosen.value);
  };
  return (
    <form
      class="card ask"
      onSubmit={(event) => {
        event.preventDefault();
        ask();
      }}
    >
      <Field
        label="Symbols"
        type="search"
        value={text.value}
        placeholder="USDC WETH"
        error={problem.value}
        onInput={(next) => {
          text.value = next;
        }}
      />
      <Button look="main" type="submit">
        Look up
      </Button>
      <ChainChoice
        known={chainsOf(providers.value.value ?? [])}
        chosen={chosen.value}
        onChange={(next) => {
          chosen.value = next;
        }}
      />
    </form>
  );
}
