import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { useApp, useModel } from "../../components/context.ts";
import { Empty, Loading, Problem } from "../../components/parts.tsx";
import { chainsOf } from "../../models/chain-data/chains.ts";
import { isLookup } from "../../models/chain-data/keys.ts";
import { readChains } from "../../models/chain-data/question.ts";
import { split } from "../../models/chain-data/source.ts";
import { createReading } from "../../models/reading.ts";
import { href } from "../../models/router.ts";
import { useData } from "./context.ts";
import { LookupForm } from "./lookup-form.tsx";
import { Origin } from "./origin.tsx";
import { TokenTable } from "./tokens.tsx";

/** Look symbols up; what is asked for is in the address. */
export function LookupTab({ query }: { query: URLSearchParams }) {
  const { router } = useApp();
  const round = useSignal(0);
  const symbols = split(query.get("symbol"));
  const chains = readChains(query.get("chain_id") ?? "");
  const addressOf = (wanted: string[], at: number[]) =>
    href(["data", "lookup"], { symbol: wanted.join(","), chain_id: at.join(",") });
  const ask = (wanted: string[], at: number[]) => {
    const target = addressOf(wanted, at);
    if (target === addressOf(symbols, chains)) round.value += 1;
    else router.go(target);
  };
  return (
    <div class="stack">
      <LookupForm symbols={symbols} chains={chains} onAsk={ask} />
      {symbols.length > 0 ? (
        <Answer symbols={symbols} chains={chains} round={round.value} />
      ) : (
        <Empty title="Nothing was looked up yet.">
          <p>
            Try <a href={addressOf(["USDC", "WETH"], [])}>USDC and WETH on every chain</a>, then look them up
            once more: the second answer comes from the cache.
          </p>
        </Empty>
      )}
    </div>
  );
}

function Answer({ symbols, chains, round }: { symbols: string[]; chains: number[]; round: number }) {
  const { live } = useApp();
  const { api, providers } = useData();
  const question = [symbols.join(), chains.join()];
  const result = useModel(
    () => ({ ...createReading((quiet) => api.lookup(symbols, chains, quiet)), close: () => undefined }),
    question,
  );
  useEffect(() => void result.read(), [result, round]);
  useEffect(() => live.onReplaced(() => void result.read(true)), [result]);

  const asked = chains.length > 0 ? chains : chainsOf(providers.value.value ?? []);
  const matters = (key: string) => isLookup(key, symbols, asked);
  const { value: found } = result.value;
  if (result.error.value)
    return (
      <>
        <Problem error={result.error.value} retry={() => void result.read()} />
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
