import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** The number of extra rows rendered above and below the visible ones. */
const BEYOND = 6;

interface VirtualListProps<Item> {
  label: string;
  items: Item[];
  keyOf: (item: Item) => string | number;
  render: (item: Item) => ComponentChildren;
  /** The height of a row in rem. */
  row: number;
  /** The maximum height, as a CSS value. */
  height?: string;
  /** Called when the end of the list is near. */
  onEnd?: () => void;
}

/** A long list that renders only its visible rows. They stay in place when new rows are added above them. */
export function VirtualList<Item>({
  label,
  items,
  keyOf,
  render,
  row,
  height: most = `${14 * row}rem`,
  onEnd,
}: VirtualListProps<Item>) {
  const box = useRef<HTMLElement>(null);
  const scrolled = useSignal({ top: 0, height: 600, unit: 16 });
  const firstKey = useRef<string | number | undefined>(undefined);

  const measure = () => {
    const element = box.current;
    if (!element) return;
    const unit = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) || 16;
    const { top, height, unit: before } = scrolled.peek();
    if (top !== element.scrollTop || height !== element.clientHeight || before !== unit)
      scrolled.value = { top: element.scrollTop, height: element.clientHeight, unit };
  };
  useEffect(measure);

  useLayoutEffect(() => {
    const element = box.current;
    const before = firstKey.current;
    firstKey.current = items[0] && keyOf(items[0]);
    // Do not measure the element itself, because that would force a layout.
    if (!element || scrolled.peek().top === 0 || before === undefined || before === firstKey.current) return;
    const added = items.findIndex((item) => keyOf(item) === before);
    if (added > 0) element.scrollTop += added * row * scrolled.peek().unit;
  }, [items]);

  const { top, height, unit } = scrolled.value;
  const size = row * unit;
  const first = Math.max(0, Math.floor(top / size) - BEYOND);
  const last = Math.min(items.length, Math.ceil((top + height) / size) + BEYOND);
  const ends = last === items.length;
  useEffect(() => {
    if (ends && top > 0) onEnd?.();
  }, [ends, top, items.length]);
  return (
    <section
      ref={box}
      class="virtual"
      style={{ maxHeight: most }}
      onScroll={measure}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable regions must be reachable by keyboard
      tabIndex={0}
      aria-label={label}
    >
      <ul style={{ height: `${items.length * row}rem` }}>
        {items.slice(first, last).map((item, index) => (
          <li
            key={keyOf(item)}
            style={{ top: `${(first + index) * row}rem`, height: `${row}rem` }}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
          >
            {render(item)}
          </li>
        ))}
      </ul>
    </section>
  );
}
