import { computed, type ReadonlySignal, signal } from "@preact/signals";

/** A stream that can be held to be read: what comes meanwhile is counted, and shown afterwards. */
export function createPausable<Item>(
  items: ReadonlySignal<Item[]>,
  isAfter: (item: Item, last: Item) => boolean,
) {
  const held = signal<Item[] | undefined>(undefined);
  return {
    paused: computed(() => held.value !== undefined),
    shown: computed(() => held.value ?? items.value),
    /** How many came since it was held. */
    missed: computed(() => {
      const last = held.value?.at(-1);
      if (!held.value) return 0;
      return last ? items.value.filter((item) => isAfter(item, last)).length : items.value.length;
    }),
    toggle(): void {
      held.value = held.value ? undefined : items.value;
    },
  };
}
