import type { Html } from "../../html/html.ts";

/** What a report may weigh where it is made of rows, bytes: mails and CI pages take no more than a few megabytes. */
export const TIMELINES_BUDGET = 1_200_000;
export const ENTRIES_BUDGET = 1_200_000;

/** How many bytes are left for the rows of a document. */
export interface Budget {
  /** Whether there is room for it; it is taken then. */
  take(part: Html): boolean;
  /** The latest of the rows that there is room for, in their order; how many there was none for. */
  latest(rows: readonly (() => Html)[], most: number): { shown: Html[]; left: number };
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
    latest(rows, most) {
      const shown: Html[] = [];
      for (let index = rows.length - 1; index >= 0 && shown.length < most; index -= 1) {
        const row = rows[index]!();
        if (!take(row)) break;
        shown.push(row);
      }
      return { shown: shown.reverse(), left: rows.length - shown.length };
    },
  };
}
