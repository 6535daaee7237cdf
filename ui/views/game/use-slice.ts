import type { JournalEntry } from "../../api-types.ts";
import { PAGE_SIZE } from "../../components/list-page.tsx";
import { useList } from "../../components/use-list.ts";
import type { Slice } from "../../models/game/api.ts";

interface SliceParts<Item> {
  /** The address at which its filters live. */
  path: string[];
  /** Its filters, beside the page; an address keeps them. */
  names?: string[];
  read: (slice: Slice, query: Record<string, string>) => Promise<Item[]>;
  matters: (entry: JournalEntry) => boolean;
}

/** A list of unknown length, a page at a time; the page is in the address, as for other lists. */
export function useSlice<Item>({ path, names = ["game"], read, matters }: SliceParts<Item>) {
  return useList<Item>({
    path,
    names,
    matters,
    read: async (query) => {
      const slice = { limit: PAGE_SIZE, skip: (Number(query.page) - 1) * PAGE_SIZE };
      const data = await read(slice, query as Record<string, string>);
      return { data, total: slice.skip + data.length };
    },
  });
}
