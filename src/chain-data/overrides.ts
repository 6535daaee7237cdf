import { iso } from "../world/duration.ts";
import type { Substitute } from "./ask.ts";
import type { ChainDataContext } from "./context.ts";
import { holdingsDefinitions } from "./providers/definitions.ts";
import type { Provider } from "./providers/provider.ts";
import type { Definition } from "./providers/recordings.ts";
import type { AddressToken } from "./schemas.ts";

export interface HoldingsRow {
  address: string;
  chain_id: number;
  items: string;
  set_at: number;
}

/** Holdings set by the user for an address, as the control API lists them. */
export interface SetHoldings {
  address: string;
  chain_id: number;
  rows: number;
  set_at: string;
}

/** Holdings that replace recordings: set by the user, or generated for an address without a recording. */
export interface Overrides {
  /** The answer that replaces the recordings for an address on a chain, if any. */
  substitute(
    provider: Provider,
    address: string,
    chain: number,
  ): Substitute | Promise<Substitute> | undefined;
  /** @param address in lower case, as everywhere in this file */
  set(address: string, chain: number, items: readonly AddressToken[]): void;
  /** Restores the recordings on every chain. Returns whether anything was set. */
  clear(address: string): boolean;
  /** Lists all holdings, sorted by address and chain. */
  list(): SetHoldings[];
}

export function createOverrides({ world, settings }: ChainDataContext): Overrides {
  const { store, clock, journal, random } = world;
  const one = store.sql<HoldingsRow>("select * from data_holdings where address = ? and chain_id = ?");
  const all = store.sql<HoldingsRow>("select * from data_holdings order by address, chain_id");
  const write = store.sql(
    "insert or replace into data_holdings (address, chain_id, items, set_at) values (?, ?, ?, ?)",
  );
  const remove = store.sql("delete from data_holdings where address = ?");
  /** The providers' responses by provider, chain and address; null if nothing was set. */
  const answers = store.remember<string, readonly Definition[] | null>();

  function setFor(provider: Provider, address: string, chain: number): readonly Definition[] | null {
    const key = `${provider.name} ${chain} ${address}`;
    const remembered = answers.get(key);
    if (remembered !== undefined) return remembered;
    const row = one.get(address, chain);
    const definitions =
      row === undefined ? null : holdingsDefinitions(provider, address, chain, JSON.parse(row.items));
    answers.set(key, definitions);
    return definitions;
  }

  async function generatedFor(provider: Provider, address: string, chain: number): Promise<Substitute> {
    const { generateHoldings } = await import("./generated.ts");
    const items = generateHoldings(random, address, chain);
    return {
      definitions: holdingsDefinitions(provider, address, chain, items),
      unlessRecorded: address,
    };
  }

  return {
    substitute(provider, address, chain) {
      const definitions = setFor(provider, address, chain);
      if (definitions) return { definitions };
      const generates = settings.unknownAddresses === "generate" && !settings.upstream;
      return generates && chain === settings.chains[0] ? generatedFor(provider, address, chain) : undefined;
    },

    set(address, chain, items) {
      store.transaction(() => {
        write.run(address, chain, JSON.stringify(items), clock.now());
        answers.clear();
        journal.append("holdings.set", { address, chain_id: chain, rows: items.length });
      });
    },

    clear(address) {
      return store.transaction(() => {
        const found = remove.run(address).changes > 0;
        answers.clear();
        if (found) journal.append("holdings.cleared", { address });
        return found;
      });
    },

    list: () =>
      all.all().map(({ address, chain_id, items, set_at }) => ({
        address,
        chain_id,
        rows: (JSON.parse(items) as unknown[]).length,
        set_at: iso(set_at),
      })),
  };
}
