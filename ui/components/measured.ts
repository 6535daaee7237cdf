import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Tells the style sheets how high an element is, in a property of theirs, for as long as it is shown. */
export function useHeightAs(property: `--${string}`, element: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    const { style } = document.documentElement;
    const { current } = element;
    const observer = new ResizeObserver(() => style.setProperty(property, `${current!.offsetHeight}px`));
    observer.observe(current!);
    return () => {
      observer.disconnect();
      style.removeProperty(property);
    };
  }, []);
}
