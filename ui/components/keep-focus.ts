import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";

const FOCUSABLE = "button:not(:disabled), a[href], input:not(:disabled), select:not(:disabled)";

/** Moves the focus to a neighbour when the focused element is about to lose it. */
function keepFocusNear(element: HTMLElement): void {
  if (document.activeElement !== element || element.closest("dialog")) return;
  const around: HTMLElement[] = [];
  for (let at = element.parentElement; at && at !== document.body; at = at.parentElement) around.push(at);
  setTimeout(() => {
    const { activeElement } = document;
    if (activeElement && activeElement !== document.body && activeElement !== element) return;
    const nearest = around.find((one) => one.isConnected);
    if (!nearest) return;
    const next = nearest.tagName === "MAIN" ? null : nearest.querySelector<HTMLElement>(FOCUSABLE);
    if (!next) nearest.tabIndex = -1;
    (next ?? nearest).focus({ preventScroll: true });
  });
}

/** Moves the focus to a neighbour when the button is disabled or removed. */
export function useKeptFocus(element: RefObject<HTMLElement | null>, disabled: boolean): void {
  useLayoutEffect(() => {
    const button = element.current;
    if (disabled && button) keepFocusNear(button);
  }, [disabled]);
  useLayoutEffect(() => {
    const button = element.current;
    return () => {
      if (button) keepFocusNear(button);
    };
  }, []);
}
