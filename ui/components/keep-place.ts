/** How long the content of a view may take to come back, milliseconds. */
const PATIENCE_MS = 3_000;
/** So many frames in its place, a list is there to stay. */
const STEADY_FRAMES = 20;
/** What scrolls within the page; each has a label of its own. */
const BOXES = "main [aria-label][tabindex]";
/** What a person does who wants to be elsewhere. */
const OWN_MOVES = ["wheel", "touchstart", "pointerdown", "keydown"];

/** How far the page and the boxes in it are scrolled, by label; the page itself has an empty one. */
type Place = ReadonlyMap<string, number>;

const labelOf = (element: Element): string | null =>
  element === document.documentElement ? "" : element.getAttribute("aria-label");

/** Scrolls what is not yet where it was. Returns whether all of it is. */
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

/** The step of the history that is shown, by the number that it was given. */
const shownStep = (): number | undefined => (history.state as { step?: number } | null)?.step;

/**
 * Back leads to where one was: each step of the history remembers how far its lists were scrolled. A list is read
 * again when it is shown again, so its place is looked for until there are enough rows.
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
    // Between two steps, the page scrolls because it shows another view, not because a person moved it.
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
