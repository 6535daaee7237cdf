import type { ComponentChildren } from "preact";
import { useCurrentInSight } from "./in-sight.ts";

interface TabsProps {
  label: string;
  /** The name of the one that is open. */
  current: string;
  tabs: readonly (readonly [name: string, title: string])[];
  hrefOf: (name: string) => string;
  /** What stands behind a title. */
  extra?: (name: string) => ComponentChildren;
}

/** The parts of a view, each with an address of its own. */
export function Tabs({ label, current, tabs, hrefOf, extra }: TabsProps) {
  const row = useCurrentInSight<HTMLElement>(current);
  return (
    <nav ref={row} class="tabs" aria-label={label}>
      {tabs.map(([name, title]) => (
        <a key={name} href={hrefOf(name)} aria-current={current === name ? "page" : undefined}>
          {title}
          {extra?.(name)}
        </a>
      ))}
    </nav>
  );
}
