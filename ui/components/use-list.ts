import { computed } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { JournalEntry, ListQuery, Page } from "../api-types.ts";
import { createFilters } from "../models/filters.ts";
import { createList } from "../models/list.ts";
import { refreshOn } from "../models/refresh.ts";
import { useApp, useModel } from "./context.ts";
import { PAGE_SIZE } from "./list-page.tsx";

interface ListParts<Item> {
  /** The address at which its filters live. */
  path: string[];
  /** The filters it has, beside the page. */
  names: string[];
  read: (query: ListQuery) => Promise<Page<Item>>;
  /** Which entries of the journal may change it. */
  matters: (entry: JournalEntry) => boolean;
  /** What is always asked for. */
  fixed?: ListQuery;
}

/** A list whose filters are in the address, and that is read again when something changed. */
export function useList<Item>({ path, names, read, matters, fixed = {} }: ListParts<Item>) {
  const { live, router, organization } = useApp();
  const model = useModel(() => {
    const filters = createFilters(router, path, names);
    const query = computed<ListQuery>(() => {
      // Another organization has another list.
      organization.id.value;
      return { ...fixed, ...filters.values.value, page: filters.page.value, limit: PAGE_SIZE };
    });
    const list = createList(query, read);
    return { filters, list, [Symbol.dispose]: list[Symbol.dispose] };
  }, path);
  useEffect(() => refreshOn(live, matters, model.list.read), [model]);
  return model;
}
