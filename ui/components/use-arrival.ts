import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useApp } from "./context.ts";

/** How long to wait for a heading to appear, in milliseconds. */
const PATIENCE_MS = 3_000;
/** Matches the heading of the open details or, if none are open, of the view. */
const DETAILS = "main :is(.beside, .split) :is(h2, .empty-title)";
const VIEW = "main :is(h1, .empty-title)";

/**
 * Moves the focus to the heading of whatever opens, as loading a page would. When details close, the focus returns to
 * the element that opened them.
 */
export function useArrival(): void {
  const { machine, router } = useApp();
  const { view, parts } = router.route.value;
  const place = [view, ...parts].join("/");
  const before = useRef({ place, depth: parts.length });
  const opener = useRef<HTMLElement | null>(null);
  useEffect(() => {
    const { place: last, depth } = before.current;
    before.current = { place, depth: parts.length };
    if (last === place) return;
    const active = document.activeElement as HTMLElement | null;
    const closes = last.startsWith(`${place}/`);
    if (!closes && depth <= parts.length) opener.current = active?.closest("main") ? active : null;
    const back = closes ? opener.current : null;
    const until = machine.now() + PATIENCE_MS;
    let stop = () => {};
    const look = () => {
      const heading = back?.isConnected
        ? back
        : document.querySelector<HTMLElement>(parts.length > 1 ? DETAILS : VIEW);
      if (heading) arriveAt(heading);
      else if (machine.now() < until) stop = machine.frame(look);
    };
    stop = machine.frame(look);
    return () => stop();
  }, [place]);
}

function arriveAt(element: HTMLElement): void {
  // The focus stays in an open dialog, or in a field that the user has moved to.
  if (document.activeElement?.closest("dialog, input, select, textarea")) return;
  if (element.tabIndex < 0) element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

/**
 * Scrolls newly opened content into view if it appears below the visible part.
 * @param opened identifies the content that is open
 */
export function useInSight<Opened extends HTMLElement>(...opened: unknown[]): RefObject<Opened | null> {
  const element = useRef<Opened>(null);
  useEffect(() => {
    const below = element.current;
    if (below && below.getBoundingClientRect().top > innerHeight / 2) below.scrollIntoView?.();
  }, opened);
  return element;
}
