import type { Static } from "typebox";
import type { ChainData } from "../chain-data/chain-data.ts";
import { ADDRESS_PATTERN } from "../chain-data/holdings.ts";
import { type HoldingInput, readHoldings } from "../chain-data/holdings-input.ts";
import type { ProviderChange } from "../chain-data/provider-states.ts";
import type { ProviderView } from "../chain-data/provider-view.ts";
import type { CacheEntry } from "../chain-data/schemas.ts";
import { misuse } from "../errors/errors.ts";
import type * as schemas from "../operations/chain-data.ts";

type KnownAddress = Static<typeof schemas.KnownAddress>;

/** Operations on a world's chain data. @throws SandboxError `bad_request` for an invalid address, `not_found` */
export interface DataControls {
  cache(): CacheEntry[];
  /** Removes all answers, or those of a key or an address, and returns how many. */
  purge(what: { key?: string | undefined; address?: string | undefined }): number;
  providers(): ProviderView[];
  /** Makes a provider fail, respond slowly or work again. */
  setProvider(name: string, change: ProviderChange): ProviderView;
  /** Addresses with holdings. Those that were set replace recorded ones. */
  addresses(): Promise<KnownAddress[]>;
  /** Sets an address's holdings on a chain, by default the first configured one. */
  setHoldings(address: string, tokens: readonly HoldingInput[], chain?: number): KnownAddress;
  /** Restores the recordings, and returns whether anything was set. */
  clearHoldings(address: string): boolean;
}

export function createDataControls(area: ChainData): DataControls {
  const { answers, overrides, providers, settings, world } = area;

  /** @throws SandboxError `bad_request` */
  function checkAddress(text: string): string {
    if (ADDRESS_PATTERN.test(text)) return text.toLowerCase();
    const hint = "Write 0x and 40 hexadecimal characters.";
    throw misuse(`'${text.slice(0, 80)}' is not a valid address.`, {
      ...{ command: hint, library: hint },
      http: "Write 0x and 40 hexadecimal characters; GET /_sandbox/data/addresses lists those with holdings.",
    });
  }

  return {
    cache: answers.list,
    purge: ({ key, address }) =>
      answers.purge({ key, address: address === undefined ? undefined : checkAddress(address) }),

    providers: providers.list,
    setProvider: providers.set,

    async addresses() {
      const recorded = await area.recordedAddresses();
      const set = overrides.list();
      const replaced = new Set(set.map(({ address, chain_id }) => `${address} ${chain_id}`));
      return [
        ...set.map((one) => ({ ...one, source: "set" as const })),
        ...recorded
          .filter(({ address, chain_id }) => !replaced.has(`${address} ${chain_id}`))
          .map((one) => ({ ...one, source: "recording" as const, set_at: null })),
      ];
    },

    setHoldings(text, tokens, chain = settings.chains[0]!) {
      const address = checkAddress(text);
      const items = readHoldings(address, tokens);
      world.store.transaction(() => {
        overrides.set(address, chain, items);
        answers.purge({ address });
      });
      const set = overrides.list().find((one) => one.address === address && one.chain_id === chain)!;
      return { ...set, source: "set" };
    },

    clearHoldings(text) {
      const address = checkAddress(text);
      return world.store.transaction(() => {
        const cleared = overrides.clear(address);
        if (cleared) answers.purge({ address });
        return cleared;
      });
    },
  };
}
