import { effect, type ReadonlySignal, signal } from "@preact/signals";
import type { ListQuery, Page } from "../api-types.ts";

export interface ListState<Item> extends Page<Item> {
  /** Whether the items are of the query that is asked for now. */
  current: boolean;
}

export type List<Item> = ReturnType<typeof createList<Item>>;

/** A list that is read a page at a time, again whenever its query changes; what was shown stays until then. */
export function createList<Item>(
  query: ReadonlySignal<ListQuery>,
  read: (query: ListQuery) => Promise<Page<Item>>,
) {
  const state = signal<ListState<Item> | undefined>(undefined);
  const error = signal<Error | undefined>(undefined);
  let asked = 0;

  async function refresh(): Promise<void> {
    asked += 1;
    const mine = asked;
    const wanted = query.peek();
    try {
      const page = await read(wanted);
      if (mine !== asked) return;
      state.value = { ...page, current: true };
      error.value = undefined;
    } catch (reason) {
      if (mine === asked) error.value = reason as Error;
    }
  }

  const stop = effect(() => {
    query.value;
    const before = state.peek();
    if (before) state.value = { ...before, current: false };
    void refresh();
  });

  return {
    state: state as ReadonlySignal<ListState<Item> | undefined>,
    error: error as ReadonlySignal<Error | undefined>,
    refresh,
    close: stop,
  };
}
