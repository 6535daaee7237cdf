import { type Ask, once, type Substitute, type UpstreamCall, type Walk } from "./ask.ts";
import type { Provider } from "./providers/provider.ts";
import type { Providers } from "./providers/registry.ts";
import type { AddressToken } from "./schemas.ts";

/** The provider and chain that served a walk's first page and must serve the rest. */
export interface Pin {
  provider: string;
  chain: number;
}

export interface HoldingsPlan {
  address: string;
  chains: readonly number[];
  keep: (row: AddressToken) => boolean;
  substitute: (provider: Provider, chain: number) => Substitute | Promise<Substitute> | undefined;
  pin?: Pin | undefined;
}

/**
 * Queries an address's holdings: chain by chain, first the explorer and then the indexer, until one returns rows. The
 * result is empty only if a provider of every chain confirmed it. See docs/fidelity.md, "Chain data: providers and
 * cache".
 */
export async function askForHoldings(
  ask: Ask,
  providers: Providers,
  plan: HoldingsPlan,
): Promise<Walk<AddressToken[]>> {
  const calls: UpstreamCall[] = [];
  const asked: string[] = [];
  const empty: string[] = [];
  let failed = false;
  let silent = false;
  for (const [chain, candidates] of candidatesOf(providers, plan)) {
    let answered = candidates.length === 0;
    for (const provider of candidates) {
      asked.push(provider.name);
      const outcome = await ask(
        provider,
        chain,
        (get) => provider.holdings(get, plan.address, chain),
        () => plan.substitute(provider, chain),
      );
      calls.push(...outcome.calls);
      if (outcome.refusal !== undefined)
        return { calls, asked, refusal: { provider: provider.name, message: outcome.refusal } };
      if (!outcome.rows) {
        failed = true;
        continue;
      }
      const rows = outcome.rows.filter(plan.keep);
      if (rows.length > 0)
        return { calls, asked, found: { rows, providers: [provider.name], chains: [chain], whole: true } };
      answered = true;
      empty.push(provider.name);
    }
    silent ||= !answered;
  }
  if (silent || plan.pin) return { calls, asked };
  return { calls, asked, found: { rows: [], providers: once(empty), chains: plan.chains, whole: !failed } };
}

function candidatesOf(providers: Providers, { chains, pin }: HoldingsPlan): [number, Provider[]][] {
  if (!pin) return chains.map((chain) => [chain, providers.of(chain)]);
  const provider = providers.byName(pin.provider);
  return [[pin.chain, provider ? [provider] : []]];
}
