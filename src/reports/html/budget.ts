import type { Html } from "../../html/html.ts";

/** Size limits for a report's rows in bytes. E-mail and CI systems accept only a few megabytes. */
export const TIMELINES_BUDGET = 1_200_000;
export const ENTRIES_BUDGET = 1_200_000;

/** The number of bytes that are left for a document's rows. */
export interface Budget {
  /** Whether a part fits. If so, its size is deducted. */
  take(part: Html): boolean;
  /** The latest rows that fit, in order, and the number of omitted ones. */
  latest<Item>(
    items: readonly Item[],
    most: number,
    rowOf: (item: Item) => Html,
  ): { shown: Html[]; left: number };
}

export function createBudget(bytes: number): Budget {
  let free = bytes;
  function take({ markup }: Html): boolean {
    const size = Buffer.byteLength(markup);
    if (size > free) return false;
    free -= size;
    return true;
  }
  return {
    take,
    latest(items, most, rowOf) {
      const shown: Html[] = [];
      for (const item of items.slice(-most).reverse()) {
        const row = rowOf(item);
        if (!take(row)) break;
        shown.push(row);
      }
      return { shown: shown.reverse(), left: items.length - shown.length };
    },
  };
}
