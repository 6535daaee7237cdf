import type { AreaPart } from "../http/area.ts";
import { type Answers, createAnswers } from "./answers.ts";
import { createAsk } from "./ask.ts";
import type { ChainDataContext } from "./context.ts";
import { createHoldings, type Holdings } from "./holdings.ts";
import { createLookup, createOwnTokens, type Lookup } from "./lookup.ts";
import { createOverrides, type Overrides } from "./overrides.ts";
import { createProviderStates, type ProviderStates } from "./provider-states.ts";
import { createProviders } from "./providers/registry.ts";
import type { Upstream } from "./providers/upstream.ts";

export interface ChainData extends AreaPart {
  settings: ChainDataContext["settings"];
  lookup: Lookup;
  holdings: Holdings;
  answers: Answers;
  overrides: Overrides;
  providers: ProviderStates;
  /** The addresses with recorded tokens; empty if real upstreams are used. */
  recordedAddresses(): ReturnType<Upstream["recordedAddresses"]>;
}

export function createChainData(context: ChainDataContext): ChainData {
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
    lookup: createLookup(context, { providers, ask, answers, ownTokens: createOwnTokens(context.world) }),
    holdings: createHoldings(context, { providers, overrides, ask, answers }),
    answers,
    overrides,
    providers: createProviderStates(context, providers),

    recordedAddresses: async () => (settings.upstream ? [] : upstream.recordedAddresses(settings.recordings)),

    close(): void {
      open = false;
    },
  };
}
