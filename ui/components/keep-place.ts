/** How long to wait for the content of a view to load, in milliseconds. */
const PATIENCE_MS = 3_000;
/** A list counts as settled once it has stayed in place for this many frames. */
const STEADY_FRAMES = 20;
/** Matches scrollable boxes in the page. Each box has a unique label. */
const BOXES = "main [aria-label][tabindex]";
/** Input events that mean that the user has started to scroll. */
const OWN_MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/** The scroll offsets of the page and its boxes, by label. The page itself has an empty label. */
type Place = ReadonlyMap<string, number>;

const labelOf = (element: Element): string | null =>
  element === document.documentElement ? "" : element.getAttribute("aria-label");

/** Restores scroll offsets. Returns true once all of them have been reached. */
function scrollTo(place: Place): boolean {
  const found = new Map(
    [document.documentElement, ...document.querySelectorAll(BOXES)].map((box) => [labelOf(box), box]),
  );
  let there = true;
  for (const [label, top] of place) {
    const element = found.get(label);
    if (element && element.scrollTop !== top) element.scrollTop = top;
    if (!element || Math.abs(element.scrollTop - top) > 1) there = false;
  }
  return there;
}

const shownStep = (): number | undefined => (history.state as { step?: number } | null)?.step;

/**
 * Restores scroll positions, which each history step remembers, when the user goes back. Lists are loaded again when
 * they are shown again, so restoring is retried until they have enough rows.
 */
export function keepPlace(): void {
  const places = new Map<number, Map<string, number>>();
  let step = -1;
  let stop = () => {};

  function begin(): Place | undefined {
    step = shownStep() ?? -1;
    const stored = places.get(step);
    if (stored) return new Map(stored);
    step = places.size;
    history.replaceState({ step }, "");
    places.set(step, new Map());
    return undefined;
  }

  function remember({ target }: Event): void {
    // Between two history steps, the changing view causes scrolling, not the user.
    if (shownStep() !== step) return;
    const element = target === document ? document.documentElement : (target as Element);
    const label = labelOf(element);
    if (label !== null) places.get(step)!.set(label, element.scrollTop);
  }

  function restore(place: Place): void {
    const until = performance.now() + PATIENCE_MS;
    let steady = 0;
    const look = () => {
      steady = scrollTo(place) ? steady + 1 : 0;
      if (steady < STEADY_FRAMES && performance.now() < until) frame = requestAnimationFrame(look);
      else stop();
    };
    let frame = requestAnimationFrame(look);
    stop = () => {
      cancelAnimationFrame(frame);
      for (const move of OWN_MOVES) removeEventListener(move, stop);
    };
    for (const move of OWN_MOVES) addEventListener(move, stop);
  }

  begin();
  addEventListener("scroll", remember, true);
  addEventListener("hashchange", () => {
    stop();
    const place = begin();
    if (place) restore(place);
  });
}
