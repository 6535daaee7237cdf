import type { ComponentChildren } from "preact";
import type { Filters } from "../models/filters.ts";
import type { List } from "../models/list.ts";
import { Pager } from "./pager.tsx";
import { Loading, Problem } from "./parts.tsx";
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
  const state = list.state.value;
  if (list.error.value) return <Problem error={list.error.value} retry={() => void list.refresh()} />;
  if (!state) return <Loading />;
  if (state.data.length === 0) return <>{empty}</>;
  return (
    <div class="stack" data-current={state.current}>
      <Table label={label} columns={columns} items={state.data} keyOf={keyOf} current={current} />
      <Pager
        page={filters.page.value}
        size={PAGE_SIZE}
        total={state.total}
        onPage={(page) => filters.set({ page: String(page) })}
      />
    </div>
  );
}
