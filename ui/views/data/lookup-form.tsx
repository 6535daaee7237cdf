import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { chainsOf } from "../../models/chain-data/chains.ts";
import { readSymbols } from "../../models/chain-data/question.ts";
import { AskForm } from "./ask.tsx";
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
    <AskForm
      label="Symbols"
      placeholder="USDC WETH"
      of={text}
      problem={problem.value}
      action="Look up"
      onAsk={ask}
    >
      <ChainChoice chains={chainsOf(providers.value.value ?? [])} of={chosen} />
    </AskForm>
  );
}
