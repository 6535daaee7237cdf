import { compare } from "../runtime/compare.ts";
import type { World } from "../world/world.ts";
import type { Answers, Question, Resource } from "./answers.ts";
import type { Ask } from "./ask.ts";
import type { ChainDataContext } from "./context.ts";
import { badRequest } from "./errors.ts";
import { askForTokens, type SymbolTokens } from "./fallback-lookup.ts";
import { MAX_SYMBOLS } from "./limits.ts";
import type { Providers } from "./providers/registry.ts";
import { chainsOf, type Query, valuesOf } from "./query.ts";
import type { TokenLookup } from "./schemas.ts";

interface AskedLookup {
  question: Question<SymbolTokens[], TokenLookup[]>;
  /** The position in the answer of each requested symbol. */
  order: readonly number[];
}

type LookupParts = { providers: Providers; ask: Ask; answers: Answers; ownTokens: OwnTokens };

/** Fungible tokens by symbol. See docs/fidelity.md, "Chain data: requests". */
export interface Lookup extends Resource<AskedLookup, TokenLookup[]> {
  /** @throws DataError 400 with the parameter and its limit */
  read(query: Query, host: string | undefined): AskedLookup;
}

export function createLookup(
  { settings }: ChainDataContext,
  { providers, ask, answers, ownTokens }: LookupParts,
): Lookup {
  const fold =
    settings.symbols === "exact" ? (symbol: string) => symbol : (symbol: string) => symbol.toLowerCase();
  const matches = (token: TokenLookup, symbol: string) =>
    token.symbol !== undefined && fold(token.symbol) === fold(symbol);
  const usualChains = ascending(settings.chains);

  /** The symbols without duplicates, keyed by their normalized form. @throws DataError 400 */
  function readSymbols(query: Query): Map<string, string> {
    const symbolValues = valuesOf(query, "symbol");
    if (symbolValues.length === 0 || symbolValues.includes(""))
      throw badRequest(
        `symbol is missing: specify 1 to ${MAX_SYMBOLS} symbols, for example ?symbol=USDC&symbol=WETH.`,
      );
    const symbols = new Map<string, string>();
    for (const symbol of symbolValues) if (!symbols.has(fold(symbol))) symbols.set(fold(symbol), symbol);
    if (symbols.size <= MAX_SYMBOLS) return symbols;
    throw badRequest(`At most ${MAX_SYMBOLS} symbols are allowed, not ${symbols.size}.`);
  }

  /** Merges the tokens that providers found for a symbol with the world's own, which replace equal ones. */
  function withOwn(found: SymbolTokens, chains: readonly number[]): SymbolTokens {
    const own = ownTokens().filter(
      (token) => chains.includes(token.chain_id) && matches(token, found.symbol),
    );
    return own.length === 0 ? found : { ...found, tokens: [...found.tokens, ...own] };
  }

  return {
    read(query, host) {
      const symbols = readSymbols(query);
      const named = chainsOf(query, host);
      const chains = named.length > 0 ? ascending(named) : usualChains;
      const sorted = [...symbols.keys()].sort();
      return {
        order: [...symbols.keys()].map((symbol) => sorted.indexOf(symbol)),
        question: {
          key: `lookup?symbol=${sorted.map(encodeURIComponent).join(",")}&chain_id=${chains.join(",")}`,
          address: null,
          chains,
          ask: () =>
            askForTokens(ask, providers, {
              symbols: sorted.map((key) => symbols.get(key)!),
              chains,
              matches,
            }),
          sort: (found) => found.map((one) => sortTokens(withOwn(one, chains).tokens)),
          count: (found) => found.reduce((sum, tokens) => sum + tokens.length, 0),
        },
      };
    },

    answer: ({ question }) => answers.ask(question, false),

    text: ({ found }, { order }) => JSON.stringify({ data: order.flatMap((place) => found[place]!) }),
  };
}

/** Sorts by chain, then by address, and removes duplicates. */
function sortTokens(tokens: readonly TokenLookup[]): TokenLookup[] {
  const once = new Map(tokens.map((token) => [`${token.chain_id} ${token.token_address}`, token]));
  return [...once.values()].sort(byChainAndAddress);
}

const byChainAndAddress = (a: TokenLookup, b: TokenLookup): number =>
  a.chain_id - b.chain_id || compare(a.token_address, b.token_address);

const ascending = (chains: readonly number[]): number[] => [...chains].sort((a, b) => a - b);

/** The tokens from a world's fixtures, by chain and address. */
type OwnTokens = () => readonly TokenLookup[];

export function createOwnTokens({ store }: World): OwnTokens {
  const all = store.sql<{ token: string }>("select token from data_tokens order by chain_id, token_address");
  const tokens = store.memo((): readonly TokenLookup[] =>
    all.all().map(({ token }) => JSON.parse(token) as TokenLookup),
  );
  return tokens.get;
}
