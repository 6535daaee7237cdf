import type { Html } from "../../html/html.ts";

/** The most bytes of a report's rows: mails and CI pages take no more than a few megabytes. */
export const TIMELINES_BUDGET = 1_200_000;
export const ENTRIES_BUDGET = 1_200_000;

/** The bytes that remain for the rows of a document. */
export interface Budget {
  /** Whether there is room for a part, which is then used. */
  take(part: Html): boolean;
  /** The latest rows that fit, in order, and the number of omitted rows. */
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
