import { createAnswers } from "./answers.ts";
import { createAsk } from "./ask.ts";
import { createRecent } from "./cache.ts";
import type { ChainDataContext } from "./context.ts";
import { createHoldings } from "./holdings.ts";
import { createLookup, createOwnTokens } from "./lookup.ts";
import { createOverrides } from "./overrides.ts";
import { createProviderStates } from "./provider-states.ts";
import { createProviders } from "./providers/registry.ts";

export type ChainData = ReturnType<typeof createChainData>;

/** Wires one world's chain data: the providers, the cache before them, and a person's changes. */
export function createChainData(context: ChainDataContext) {
  const { settings, upstream } = context;
  let open = true;
  const isOpen = () => open;
  const providers = createProviders(settings);
  const overrides = createOverrides(context);
  const answers = createAnswers(context, isOpen);
  const ask = createAsk(context, isOpen);

  return {
    world: context.world,
    settings,
    lookup: createLookup(context, providers, ask, answers, createOwnTokens(context.world)),
    holdings: createHoldings(context, providers, overrides, ask, answers),
    answers,
    recent: createRecent(context.world, answers.cache),
    overrides,
    providers: createProviderStates(context, providers),

    /** The addresses that the recordings have tokens of; none where real upstreams are asked. */
    recordedAddresses: async () => (settings.upstream ? [] : upstream.recordedAddresses(settings.recordings)),

    /** Drops the answers in progress, which are not recorded. */
    close(): void {
      open = false;
    },
  };
}
