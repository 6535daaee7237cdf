import { computed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { JournalEntry, ListQuery, Page, Slice } from "../api-types.ts";
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
}

function Table<Item>({ label, columns, items, keyOf }: TableProps<Item>) {
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
            <tr key={keyOf(item)}>
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

const PAGE_SIZE = 25;

interface ListParts<Item> {
  /** The address at which its filters live. */
  path: string[];
  /** The filters it has, beside the page. */
  names: string[];
  read: (query: ListQuery, slice: Slice) => Promise<Page<Item>>;
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

interface ListPageProps<Item> extends Omit<TableProps<Item>, "items"> {
  of: { list: List<Item>; filters: Filters };
  empty: ComponentChildren;
}

/** A page of a list as a table, with the way to the next; or why it cannot be shown. */
export function ListPage<Item>({ of: { list, filters }, empty, ...table }: ListPageProps<Item>) {
  const page = filters.page.value;
  return (
    <Loaded of={list}>
      {({ data, total, current }) =>
        data.length === 0 ? (
          empty
        ) : (
          <div class="stack" data-current={current}>
            <Table {...table} items={data} />
            <Pager
              page={page}
              shown={data.length}
              total={total}
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
  total: number;
  onPage: (page: number) => void;
}

/** From page to page of a list. */
function Pager({ page, shown, total, onPage }: PagerProps) {
  const before = (page - 1) * PAGE_SIZE;
  return (
    <nav class="pager" aria-label="Pages">
      <span class="note" role="status">
        {`${number(before + 1)} to ${number(before + shown)} of ${number(total)}`}
      </span>
      <div class="actions">
        <Button icon="left" disabled={page <= 1} onClick={() => onPage(page - 1)}>
          Newer
        </Button>
        <Button disabled={before + shown >= total} onClick={() => onPage(page + 1)}>
          Older
        </Button>
      </div>
    </nav>
  );
}
