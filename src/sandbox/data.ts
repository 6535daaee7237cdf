import type { ChainData } from "../chain-data/chain-data.ts";
import { ADDRESS_PATTERN } from "../chain-data/holdings.ts";
import { readHoldings } from "../chain-data/holdings-input.ts";
import { misuse } from "../errors/errors.ts";
import type { MethodsOf } from "../operations/index.ts";
import { parseDuration } from "../world/duration.ts";

/** Operations on a world's chain data. @throws SandboxError `bad_request` for an invalid address, `not_found` */
export type DataControls = MethodsOf<"data", "addresses">;

export function createDataControls(area: ChainData): DataControls {
  const { answers, overrides, providers, settings, world } = area;

  /** @throws SandboxError `bad_request` */
  function checkAddress(text: string): string {
    if (ADDRESS_PATTERN.test(text)) return text.toLowerCase();
    const hint = "Write 0x followed by 40 hexadecimal characters.";
    throw misuse(`'${text.slice(0, 80)}' is not a valid address.`, {
      ...{ command: hint, library: hint },
      http: "Write 0x followed by 40 hexadecimal characters; GET /_sandbox/data/addresses lists those with holdings.",
    });
  }

  return {
    cache: () => ({ data: answers.list() }),
    purge: ({ key, address }) => ({
      purged: answers.purge({ key, address: address === undefined ? undefined : checkAddress(address) }),
    }),

    providers: () => ({ data: providers.list() }),
    setProvider: ({ name, latency, ...change }) =>
      providers.set(name, {
        ...change,
        ...(latency !== undefined && { latency: parseDuration(latency) }),
      }),

    async addresses() {
      const recorded = await area.recordedAddresses();
      const set = overrides.list();
      const replaced = new Set(set.map(({ address, chain_id }) => `${address} ${chain_id}`));
      const data = [
        ...set.map((one) => ({ ...one, source: "set" as const })),
        ...recorded
          .filter(({ address, chain_id }) => !replaced.has(`${address} ${chain_id}`))
          .map((one) => ({ ...one, source: "recording" as const, set_at: null })),
      ];
      return { data };
    },

    setHoldings({ address: text, tokens, chain_id: chain = settings.chains[0]! }) {
      const address = checkAddress(text);
      const items = readHoldings(address, tokens);
      world.store.transaction(() => {
        overrides.set(address, chain, items);
        answers.purge({ address });
      });
      const set = overrides.list().find((one) => one.address === address && one.chain_id === chain)!;
      return { ...set, source: "set" };
    },

    clearHoldings({ address: text }) {
      const address = checkAddress(text);
      const cleared = world.store.transaction(() => {
        const cleared = overrides.clear(address);
        if (cleared) answers.purge({ address });
        return cleared;
      });
      return { address, cleared };
    },
  };
}
