import { useEffect, useRef } from "preact/hooks";

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
