import type { ComponentChildren } from "preact";

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
