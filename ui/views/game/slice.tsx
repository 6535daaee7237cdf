import type { ComponentChildren } from "preact";
import { PAGE_SIZE } from "../../components/list-page.tsx";
import { Loading, Problem } from "../../components/parts.tsx";
import type { Filters } from "../../models/filters.ts";
import type { List } from "../../models/list.ts";
import { Steps } from "./parts.tsx";

interface SlicePageProps<Item> {
  list: List<Item>;
  filters: Filters;
  empty: ComponentChildren;
  words?: [before: string, after: string];
  children: (items: Item[]) => ComponentChildren;
}

/** A page of such a list, with the way to the next; or why it cannot be shown. */
export function SlicePage<Item>({ list, filters, empty, words, children }: SlicePageProps<Item>) {
  const state = list.state.value;
  if (list.error.value) return <Problem error={list.error.value} retry={() => void list.refresh()} />;
  if (!state) return <Loading />;
  const page = filters.page.value;
  if (state.data.length === 0 && page === 1) return <>{empty}</>;
  return (
    <div class="stack" data-current={state.current}>
      {state.data.length > 0 && children(state.data)}
      <Steps
        page={page}
        size={PAGE_SIZE}
        shown={state.data.length}
        {...(words ? { words } : {})}
        onPage={(next) => filters.set({ page: String(next) })}
      />
    </div>
  );
}
