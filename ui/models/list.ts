import { computed, createModel, effect, type ReadonlySignal } from "@preact/signals";
import type { ListQuery, Page } from "../api-types.ts";
import { createReading } from "./reading.ts";

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
  const List = createModel(() => {
    const reading = createReading(async () => {
      const asked = query.peek();
      return { page: await read(asked), asked };
    });
    effect(() => {
      query.value;
      void reading.read();
    });
    return {
      value: computed((): ListState<Item> | undefined => {
        const found = reading.value.value;
        return found && { ...found.page, current: found.asked === query.value };
      }),
      error: reading.error,
      read: reading.read,
    };
  });
  return new List();
}
