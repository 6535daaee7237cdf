import { type Ask, type Outcome, once, type Walk } from "./ask.ts";
import type { Provider } from "./providers/provider.ts";
import type { Providers } from "./providers/registry.ts";
import type { TokenLookup } from "./schemas.ts";

export interface SymbolTokens {
  symbol: string;
  tokens: TokenLookup[];
}

export interface LookupPlan {
  symbols: readonly string[];
  chains: readonly number[];
  matches: (token: TokenLookup, symbol: string) => boolean;
}

interface SymbolAnswers {
  symbol: string;
  /** The indexer's outcome, if there is an indexer. `explorers` contains the outcomes of the queried explorers. */
  indexer: Outcome<TokenLookup> | undefined;
  explorers: Outcome<TokenLookup>[];
}

/**
 * Looks up symbols: all of them in parallel at the indexer, and the symbols that it does not know or fails on at each
 * chain's explorer. See docs/fidelity.md, "Chain data: providers and cache".
 */
export async function askForTokens(
  ask: Ask,
  providers: Providers,
  plan: LookupPlan,
): Promise<Walk<SymbolTokens[]>> {
  const { symbols, chains, matches } = plan;
  const explorers = chains.map((chain) => providers.explorer(chain)).filter((one) => one !== undefined);
  const askOne = (provider: Provider, symbol: string): Promise<Outcome<TokenLookup>> =>
    ask(provider, provider.chain, async (get) => {
      const tokens = await provider.tokens(get, symbol, chains);
      return tokens.filter((token) => matches(token, symbol));
    });

  const { indexer } = providers;
  const first = await Promise.all(symbols.map((symbol) => indexer && askOne(indexer, symbol)));
  const refused = first.some((outcome) => outcome?.refusal !== undefined);
  const answers: SymbolAnswers[] = await Promise.all(
    symbols.map(async (symbol, index) => {
      const settled = refused || hasRows(first[index]);
      const asked = settled ? [] : explorers.map((explorer) => askOne(explorer, symbol));
      return { symbol, indexer: first[index], explorers: await Promise.all(asked) };
    }),
  );
  return conclude(answers, chains, explorers.length === chains.length);
}

/** @param covered whether every chain has an explorer */
function conclude(
  answers: readonly SymbolAnswers[],
  chains: readonly number[],
  covered: boolean,
): Walk<SymbolTokens[]> {
  const outcomes = [
    ...answers.flatMap(({ indexer }) => indexer ?? []),
    ...answers.flatMap(({ explorers }) => explorers),
  ];
  const calls = outcomes.flatMap((outcome) => outcome.calls);
  const asked = once(outcomes.map(({ provider }) => provider.name));
  for (const { provider, refusal } of outcomes)
    if (refusal !== undefined)
      return { calls, asked, refusal: { provider: provider.name, message: refusal } };

  const rows = answers.map(tokensOf);
  const empty = rows.every(({ tokens }) => tokens.length === 0);
  if (empty && answers.some((one) => chainMissing(one, covered))) return { calls, asked };
  const usable = outcomes.filter((outcome) => (empty ? outcome.rows !== undefined : hasRows(outcome)));
  return {
    calls,
    asked,
    found: {
      rows,
      providers: once(usable.map(({ provider }) => provider.name)),
      chains,
      whole: answers.every((one) => !chainMissing(one, covered) && !doubtful(one)),
    },
  };
}

const tokensOf = ({ symbol, indexer, explorers }: SymbolAnswers): SymbolTokens => ({
  symbol,
  tokens: [indexer, ...explorers].flatMap((outcome) => outcome?.rows ?? []),
});

const hasRows = (outcome: Outcome<unknown> | undefined): boolean => (outcome?.rows?.length ?? 0) > 0;
const failed = (outcome: Outcome<unknown>): boolean => outcome.rows === undefined;

/** Whether there is a chain for which no provider responded. */
function chainMissing({ indexer, explorers }: SymbolAnswers, covered: boolean): boolean {
  if (indexer && !failed(indexer)) return false;
  return explorers.some(failed) || (indexer !== undefined && !covered);
}

/** Whether nothing was found, but a provider that failed might have known the symbol. */
function doubtful({ indexer, explorers }: SymbolAnswers): boolean {
  return explorers.some(failed) && !hasRows(indexer) && !explorers.some(hasRows);
}
