import { type ReadonlySignal, signal } from "@preact/signals";
import type { DataApi, Holding, NextPage } from "./api.ts";
import type { Source } from "./source.ts";

export interface HoldingsState {
  items: Holding[];
  /** How many pages were read. */
  pages: number;
  next: NextPage | null;
  /** Where the latest page comes from. */
  source: Source;
}

export type HoldingsModel = ReturnType<typeof createHoldings>;

/** What an address holds, read page after page. */
export function createHoldings(api: DataApi, address: string, filter: { type: string; chains: number[] }) {
  const state = signal<HoldingsState | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  const busy = signal(false);
  let asked = 0;

  async function read(before: HoldingsState | undefined, quiet = false): Promise<void> {
    asked += 1;
    const request = asked;
    busy.value = true;
    try {
      const { items, next, source } = await api.holdings(address, filter, before?.next ?? null, quiet);
      if (request !== asked) return;
      const earlier = before?.items ?? [];
      state.value = { items: earlier.concat(items), pages: (before?.pages ?? 0) + 1, next, source };
      error.value = undefined;
    } catch (reason) {
      if (request !== asked) return;
      error.value = reason as Error;
    }
    busy.value = false;
  }

  void read(undefined);

  return {
    state: state as ReadonlySignal<HoldingsState | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    busy: busy as ReadonlySignal<boolean>,
    /** From the first page again. @param quiet whether the page asks by itself */
    again: (quiet = false) => read(undefined, quiet),
    more: async (): Promise<void> => {
      const before = state.peek();
      if (before?.next && !busy.peek()) await read(before);
    },
    [Symbol.dispose](): void {
      asked += 1;
    },
  };
}
