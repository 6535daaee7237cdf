import type { ComponentChildren } from "preact";
import type { Filters } from "../models/filters.ts";
import type { List } from "../models/list.ts";
import { Loaded } from "./loaded.tsx";
import { Pager } from "./pager.tsx";
import { type Column, Table } from "./table.tsx";

export const PAGE_SIZE = 25;

interface ListPageProps<Item> {
  label: string;
  list: List<Item>;
  filters: Filters;
  columns: Column<Item>[];
  keyOf: (item: Item) => string;
  current?: string | undefined;
  empty: ComponentChildren;
}

/** A page of a list, with the way to the next; or why it cannot be shown. */
export function ListPage<Item>({
  label,
  list,
  filters,
  columns,
  keyOf,
  current,
  empty,
}: ListPageProps<Item>) {
  return (
    <Loaded of={list}>
      {(page) =>
        page.data.length === 0 ? (
          empty
        ) : (
          <div class="stack" data-current={page.current}>
            <Table label={label} columns={columns} items={page.data} keyOf={keyOf} current={current} />
            <Pager
              page={filters.page.value}
              size={PAGE_SIZE}
              total={page.total}
              onPage={(next) => filters.set({ page: String(next) })}
            />
          </div>
        )
      }
    </Loaded>
  );
}
