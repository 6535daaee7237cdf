import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp, useReading } from "../../components/context.ts";
import { Empty, Loading, Problem } from "../../components/parts.tsx";
import { type Binding, member } from "../../models/binding.ts";
import type { LookupResult } from "../../models/chain-data/api.ts";
import { chainName, chainsOf, isLookup, readChains, readSymbols } from "../../models/chain-data/keys.ts";
import { split } from "../../models/chain-data/source.ts";
import type { Reading } from "../../models/reading.ts";
import { href } from "../../models/router.ts";
import { AskForm } from "./ask.tsx";
import { useData } from "./context.ts";
import { Origin } from "./path.tsx";
import { TokenTable } from "./tokens.tsx";

/** Look symbols up; what is asked for is in the address. */
export function LookupTab({ query }: { query: URLSearchParams }) {
  const { router, live } = useApp();
  const { api } = useData();
  const symbols = split(query.get("symbol"));
  const chains = readChains(query.get("chain_id") ?? "");
  const answer = useReading(
    async (quiet) => (symbols.length > 0 ? await api.lookup(symbols, chains, quiet) : undefined),
    [symbols.join(), chains.join()],
  );
  useEffect(() => live.onReplaced(() => void answer.read(true)), [answer]);
  const addressOf = (wanted: string[], at: number[]) =>
    href(["data", "lookup"], { symbol: wanted.join(","), chain_id: at.join(",") });
  const ask = (wanted: string[], at: number[]) => {
    const target = addressOf(wanted, at);
    if (target === addressOf(symbols, chains)) void answer.read();
    else router.go(target);
  };
  return (
    <div class="stack">
      <LookupForm symbols={symbols} chains={chains} onAsk={ask} />
      {symbols.length > 0 ? (
        <Answer symbols={symbols} chains={chains} answer={answer} />
      ) : (
        <Empty title="Nothing was looked up yet.">
          Try <a href={addressOf(["USDC", "WETH"], [])}>USDC and WETH on every chain</a>, then look them up
          once more: the second answer comes from the cache.
        </Empty>
      )}
    </div>
  );
}

interface AnswerProps {
  symbols: string[];
  chains: number[];
  answer: Reading<LookupResult | undefined>;
}

function Answer({ symbols, chains, answer }: AnswerProps) {
  const { providers } = useData();
  const asked = chains.length > 0 ? chains : chainsOf(providers.value.value ?? []);
  const matters = (key: string) => isLookup(key, symbols, asked);
  const found = answer.value.value;
  if (answer.error.value)
    return (
      <>
        <Problem error={answer.error.value} retry={() => void answer.read()} />
        <Origin matters={matters} />
      </>
    );
  if (!found) return <Loading />;
  return (
    <>
      <Origin source={found.source} matters={matters} />
      <TokenTable tokens={found.tokens} symbols={symbols} />
    </>
  );
}

/** Chains to ask; none chosen means all of them. */
function ChainChoice({ chains, of }: { chains: number[]; of: Binding<number[]> }) {
  const offered = [...new Set([...chains, ...of.value])];
  return (
    <fieldset class="chains">
      <legend class="note">Chains (all, if you choose none)</legend>
      <div class="choice">
        {offered.map((id) => (
          <label key={id} class="choice-one">
            <input
              type="checkbox"
              checked={of.value.includes(id)}
              onChange={({ currentTarget }) => (member(of, id).value = currentTarget.checked)}
            />
            <span title={`chain_id ${id}`}>{chainName(id)}</span>
          </label>
        ))}
      </div>
    </fieldset>
  );
}

interface LookupFormProps {
  symbols: string[];
  chains: number[];
  onAsk: (symbols: string[], chains: number[]) => void;
}

/** Which symbols, on which chains. */
function LookupForm({ symbols, chains, onAsk }: LookupFormProps) {
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
