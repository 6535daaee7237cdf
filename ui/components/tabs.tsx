import { useEffect, useRef } from "preact/hooks";
import type { Binding } from "../models/binding.ts";

/** A row of links that may be wider than its place: the current one is brought to the middle of it. */
export function useCurrentInSight<Row extends HTMLElement>(current: string) {
  const row = useRef<Row>(null);
  useEffect(() => {
    const list = row.current;
    const link = list?.querySelector<HTMLElement>("[aria-current]");
    if (list && link) list.scrollLeft = link.offsetLeft - (list.clientWidth - link.offsetWidth) / 2;
  }, [current]);
  return row;
}

interface TabsProps {
  label: string;
  /** The name of the one that is open. */
  current: string;
  tabs: readonly (readonly [name: string, title: string])[];
  hrefOf: (name: string) => string;
}

/** The parts of a view, each with an address of its own. */
export function Tabs({ label, current, tabs, hrefOf }: TabsProps) {
  const row = useCurrentInSight<HTMLElement>(current);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {tabs.map(([name, title]) => (
        <a key={name} href={hrefOf(name)} aria-current={current === name ? "page" : undefined}>
          {title}
        </a>
      ))}
    </nav>
  );
}

interface TabButtonsProps<Name extends string> {
  label: string;
  of: Binding<Name>;
  tabs: readonly (readonly [name: Name, title: string])[];
}

/** Parts of which one is shown, where they have no address of their own. */
export function TabButtons<Name extends string>({ label, of, tabs }: TabButtonsProps<Name>) {
  return (
    <div class="tabs" role="tablist" aria-label={label}>
      {tabs.map(([name, title]) => (
        <button
          key={name}
          type="button"
          role="tab"
          aria-selected={of.value === name}
          onClick={() => (of.value = name)}
        >
          {title}
        </button>
      ))}
    </div>
  );
}
