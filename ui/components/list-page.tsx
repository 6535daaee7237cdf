import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { JournalEntry, Listed, ListQuery, Slice } from "../api-types.ts";
import { createFilters, type Filters } from "../models/filters.ts";
import { number } from "../models/format.ts";
import { createList, type List } from "../models/list.ts";
import { refreshOn } from "../models/refresh.ts";
import { useApp, useModel } from "./context.ts";
import { Button, Loaded } from "./parts.tsx";

export interface Column<Item> {
  title: string;
  /** What can be done with the item: its title is only for those who hear the table. */
  actions?: boolean;
  cell: (item: Item) => ComponentChildren;
  /** Numbers stand at the right, so that their digits align. */
  number?: boolean;
}

interface TableProps<Item> {
  label: string;
  columns: Column<Item>[];
  items: Item[];
  keyOf: (item: Item) => string;
  /** The row that is open. */
  current?: string | undefined;
}

export function Table<Item>({ label, columns, items, keyOf, current }: TableProps<Item>) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table-box" tabIndex={0} aria-label={label}>
      <table class="table">
        <thead>
          <tr>
            {columns.map(({ title, number, actions }) => (
              <th key={title} class={number ? "number" : undefined} scope="col">
                {actions ? <span class="vh">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {items.map((item) => (
            <tr key={keyOf(item)} aria-current={keyOf(item) === current || undefined}>
              {columns.map(({ title, cell, number }) => (
                <td key={title} class={number ? "number" : undefined}>
                  {cell(item)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

export const PAGE_SIZE = 25;

interface ListParts<Item> {
  /** The address at which its filters live. */
  path: string[];
  /** The filters it has, beside the page. */
  names: string[];
  read: (query: ListQuery, slice: Slice) => Promise<Listed<Item>>;
  /** Which entries of the journal may change it. */
  matters: (entry: JournalEntry) => boolean;
}

/** A list whose filters are in the address, and that is read again when something changed. */
export function useList<Item>({ path, names, read, matters }: ListParts<Item>) {
  const { live, router, organization } = useApp();
  const model = useModel(() => {
    const filters = createFilters(router, path, names);
    const query = computed<ListQuery>(() => {
      // Another organization has another list.
      organization.id.value;
      return { ...filters.values.value, page: filters.page.value, limit: PAGE_SIZE };
    });
    const list = createList(query, (asked) =>
      read(asked, { limit: PAGE_SIZE, skip: (Number(asked.page) - 1) * PAGE_SIZE }),
    );
    return { filters, list, [Symbol.dispose]: list[Symbol.dispose] };
  }, path);
  useEffect(() => refreshOn(live, matters, model.list.read), [model]);
  return model;
}

type ListPageProps<Item> = {
  of: { list: List<Item>; filters: Filters };
  empty: ComponentChildren;
  /** What leads back and on. */
  words?: [before: string, after: string];
} & (
  | { label: string; columns: Column<Item>[]; keyOf: (item: Item) => string }
  | { children: (items: Item[]) => ComponentChildren }
);

/** A page of a list, as a table unless it is drawn otherwise, with the way to the next; or why it cannot be shown. */
export function ListPage<Item>({ of: { list, filters }, empty, words, ...how }: ListPageProps<Item>) {
  const page = filters.page.value;
  return (
    <Loaded of={list}>
      {({ data, total, current }) =>
        data.length === 0 && (page === 1 || total !== undefined) ? (
          empty
        ) : (
          <div class="stack" data-current={current}>
            {"children" in how ? how.children(data) : <Table {...how} items={data} />}
            <Pager
              page={page}
              shown={data.length}
              total={total}
              words={words}
              onPage={(next) => filters.set({ page: String(next) })}
            />
          </div>
        )
      }
    </Loaded>
  );
}

interface PagerProps {
  page: number;
  shown: number;
  /** Unknown for a list that does not say how long it is. */
  total: number | undefined;
  words: [before: string, after: string] | undefined;
  onPage: (page: number) => void;
}

/** From page to page of a list. */
function Pager({ page, shown, total, words = ["Newer", "Older"], onPage }: PagerProps) {
  const before = (page - 1) * PAGE_SIZE;
  const isLast = total === undefined ? shown < PAGE_SIZE : before + shown >= total;
  if (total === undefined && page === 1 && isLast) return null;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="note" role="status">
        {shown === 0 ? "no more" : `${number(before + 1)} to ${number(before + shown)}`}
        {total !== undefined && ` of ${number(total)}`}
      </span>
      <div class="actions">
        <Button icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          {words[0]}
        </Button>
        <Button disabled={isLast} onClick={() => onPage(page + 1)}>
          {words[1]}
        </Button>
      </div>
    </nav>
  );
}
