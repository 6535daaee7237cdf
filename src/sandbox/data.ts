import type { ChainData } from "../chain-data/chain-data.ts";
import { ADDRESS_PATTERN } from "../chain-data/holdings.ts";
import { type HoldingInput, readHoldings } from "../chain-data/holdings-input.ts";
import type { ProviderChange } from "../chain-data/provider-states.ts";
import { misuse } from "../errors/errors.ts";

/** An address with holdings, and their source. */
export interface KnownAddress {
  address: string;
  chain_id: number;
  source: "recording" | "set";
  rows: number;
  /** Virtual time at which they were set; null for recorded ones. */
  set_at: string | null;
}

/** The operations on a world's chain data. */
export function createDataControls({
  answers,
  overrides,
  providers,
  settings,
  recordedAddresses,
  world,
}: ChainData) {
  /** @throws SandboxError `bad_request` */
  function checkAddress(text: string): string {
    if (ADDRESS_PATTERN.test(text)) return text.toLowerCase();
    const hint = "Write 0x and 40 hexadecimal characters.";
    throw misuse(`'${text.slice(0, 80)}' is not an address.`, {
      ...{ command: hint, library: hint },
      http: "Write 0x and 40 hexadecimal characters; GET /_sandbox/data/addresses lists those with holdings.",
    });
  }

  return {
    /** The cached answers. */
    cache: () => answers.cache.list(),
    /** Forgets all answers, or those of a key or an address. Returns how many. */
    purge: ({ key, address }: { key?: string | undefined; address?: string | undefined }): number =>
      answers.purge({ key, address: address === undefined ? undefined : checkAddress(address) }),

    providers: () => providers.list(),
    setProvider: (name: string, change: ProviderChange) => providers.set(name, change),

    /** Addresses with holdings; set ones replace recorded ones. */
    async addresses(): Promise<KnownAddress[]> {
      const recorded = await recordedAddresses();
      const set = overrides.list();
      const replaced = new Set(set.map(({ address, chain_id }) => `${address} ${chain_id}`));
      return [
        ...set.map((one) => ({ ...one, source: "set" as const })),
        ...recorded
          .filter(({ address, chain_id }) => !replaced.has(`${address} ${chain_id}`))
          .map((one) => ({ ...one, source: "recording" as const, set_at: null })),
      ];
    },

    /**
     * Sets the holdings of an address on a chain, by default the first one that is asked.
     * @throws SandboxError `bad_request`
     */
    setHoldings(text: string, tokens: readonly HoldingInput[], chain = settings.chains[0]!): KnownAddress {
      const address = checkAddress(text);
      const items = readHoldings(address, tokens);
      world.store.transaction(() => {
        overrides.set(address, chain, items);
        answers.purge({ address });
      });
      const set = overrides.list().find((one) => one.address === address && one.chain_id === chain)!;
      return { ...set, source: "set" };
    },

    /** Returns to the recordings. @returns whether anything was set */
    clearHoldings(text: string): boolean {
      const address = checkAddress(text);
      return world.store.transaction(() => {
        const cleared = overrides.clear(address);
        if (cleared) answers.purge({ address });
        return cleared;
      });
    },
  };
}
