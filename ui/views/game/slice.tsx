import type { ComponentChildren } from "preact";
import { PAGE_SIZE } from "../../components/list-page.tsx";
import { Loaded } from "../../components/loaded.tsx";
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
  const page = filters.page.value;
  return (
    <Loaded of={list}>
      {({ data, current }) =>
        data.length === 0 && page === 1 ? (
          empty
        ) : (
          <div class="stack" data-current={current}>
            {data.length > 0 && children(data)}
            <Steps
              page={page}
              size={PAGE_SIZE}
              shown={data.length}
              {...(words ? { words } : {})}
              onPage={(next) => filters.set({ page: String(next) })}
            />
          </div>
        )
      }
    </Loaded>
  );
}
