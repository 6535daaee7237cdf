import { misuse, notFound } from "../errors/errors.ts";
import type { ChainDataContext } from "./context.ts";
import type { ProviderView } from "./provider-view.ts";
import {
  DEFAULT_LATENCY,
  DEFAULT_STATUS,
  type ProviderFault,
  type ProviderState,
  providerTarget,
} from "./providers/faults.ts";
import type { Provider } from "./providers/provider.ts";
import type { Providers } from "./providers/registry.ts";

export type ProviderChange = { state: ProviderState } & Omit<ProviderFault, "state" | "sequence">;

const FIELDS_OF: Readonly<Record<ProviderState, readonly string[]>> = {
  up: [],
  down: ["times", "rate"],
  slow: ["latency", "times", "rate"],
  error: ["status", "times", "rate"],
  garbage: ["times", "rate"],
};

/** @throws SandboxError `bad_request` for a field that has no effect in this state */
function checkFields(state: ProviderState, fault: object): void {
  const allowed = FIELDS_OF[state];
  const stray = Object.keys(fault).find((field) => !allowed.includes(field));
  if (stray === undefined) return;
  const names = (prefix: string) => allowed.map((field) => prefix + field).join(", ");
  const words = (prefix: string) =>
    allowed.length === 0 ? `Remove ${prefix}${stray}.` : `Remove it. '${state}' accepts ${names(prefix)}.`;
  throw misuse(`The state '${state}' does not accept ${stray}.`, {
    command: words("--"),
    library: words(""),
    http: words(""),
  });
}

/** The state of each provider, including simulated failures. */
export interface ProviderStates {
  /** Providers in query order. */
  list(): ProviderView[];
  /** @throws SandboxError `not_found`; `bad_request` for a field without an effect in the new state */
  set(name: string, change: ProviderChange): ProviderView;
}

export function createProviderStates(
  { world, settings }: ChainDataContext,
  providers: Providers,
): ProviderStates {
  const { faults, journal, store } = world;

  function find(name: string): Provider {
    const provider = providers.byName(name);
    if (provider) return provider;
    throw notFound(
      `There is no provider ${name}.`,
      `Providers: ${providers.all.map((one) => one.name).join(", ")}.`,
    );
  }

  function view({ name, kind, chain, baseUrl }: Provider): ProviderView {
    const fault = faults.get(providerTarget(name));
    const spec = fault?.spec as ProviderFault | undefined;
    return {
      name,
      kind,
      chain_id: chain,
      base_url: baseUrl,
      mode: settings.upstream ? "live" : "replay",
      state: spec?.state ?? "up",
      status: spec?.state === "error" ? (spec.status ?? DEFAULT_STATUS) : null,
      latency: spec?.state === "slow" ? (spec.latency ?? DEFAULT_LATENCY) : null,
      times: spec?.times ?? null,
      rate: spec?.rate ?? null,
      asked: fault?.asked ?? 0,
      hit: fault?.hit ?? 0,
    };
  }

  return {
    list: () => providers.all.map(view),
    set(name, { state, ...fault }) {
      const provider = find(name);
      checkFields(state, fault);
      store.transaction(() => {
        if (state === "up") faults.clear(providerTarget(name));
        else faults.set(providerTarget(name), { state, ...fault } as ProviderFault);
        journal.append("provider.changed", { provider: name, state, ...fault });
      });
      return view(provider);
    },
  };
}
