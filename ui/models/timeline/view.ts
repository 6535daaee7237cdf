import { batch, computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import type { Machine } from "../clock.ts";
import type { Scale, Stretch } from "./fit.ts";

const GLIDE_MS = 320;
/** How far inside the edges an instant must be to count as visible, as a fraction of the view. */
const EDGE = 0.02;
/** During an animation, the newest attempt stays to the left of this fraction of the view. */
const KEPT = 0.95;

interface Window {
  from: number;
  span: number;
}

export type TimelineView = ReturnType<typeof createView>;

interface ViewParts {
  machine: Machine;
  /** The period to fit, in units of the scale. */
  fit: ReadonlySignal<Stretch>;
  scale: ReadonlySignal<Scale>;
  /** The width of the view in pixels. */
  width?: Signal<number>;
  /** The magnification of drawn elements, for example in presentation mode. */
  unit?: Signal<number>;
}

/** The visible part of a scale. It follows the current episode until the user pans or zooms. */
export function createView(parts: ViewParts) {
  const { machine, fit, scale, width = signal(0), unit = signal(1) } = parts;
  // Stored separately, so that panning does not change the span at all.
  const from = signal(fit.peek().from);
  const span = signal(fit.peek().to - fit.peek().from);
  const fitting = signal(true);
  let drawn = scale.peek();
  let stop: (() => void) | undefined;
  /** The requested part. It is computed again when older attempts are loaded, until the user moves the view. */
  let asked: (() => Window) | undefined;

  function set(target: Window): void {
    batch(() => {
      from.value = target.from;
      span.value = target.span;
    });
  }

  function settle(target: Window): void {
    stop?.();
    stop = undefined;
    set(target);
  }

  function glide(target: Window): void {
    const start = { from: from.peek(), span: span.peek() };
    if (start.from === target.from && start.span === target.span) return;
    if (!machine.moves() || width.peek() === 0) {
      settle(target);
      return;
    }
    const began = machine.now();
    const step = () => {
      const part = Math.min(1, (machine.now() - began) / GLIDE_MS);
      const eased = 1 - (1 - part) ** 3;
      set({
        from: start.from + (target.from - start.from) * eased,
        span: start.span + (target.span - start.span) * eased,
      });
      stop = part < 1 ? machine.frame(step) : undefined;
      if (part === 1) set(target);
    };
    stop?.();
    stop = machine.frame(step);
  }

  function hold(target: Window): void {
    fitting.value = false;
    asked = undefined;
    settle(target);
  }

  /** @param byPerson whether the user chose the period; if so, automatic fitting ends */
  function ask(wanted: () => Window, how: (target: Window) => void, byPerson = true): void {
    if (byPerson) fitting.value = false;
    asked = wanted;
    how(wanted());
  }

  /** @param part the position within the view, from 0 to 1 */
  function around(place: number, wanted: number, part: number): Window {
    const { shortest, longest } = scale.peek();
    const size = Math.min(longest, Math.max(shortest, wanted));
    return { from: place - size * part, span: size };
  }

  function rescale(): void {
    const next = scale.peek();
    const last = drawn;
    if (next === last) return;
    drawn = next;
    if (asked) {
      settle(asked());
      return;
    }
    const edge = last.place(last.since);
    /** Places before the loaded attempts keep their distance, because it is unknown how much time they cover. */
    const moved = (place: number) =>
      place < edge ? next.place(last.since) + place - edge : next.place(last.at(place));
    const start = moved(from.peek());
    settle({ from: start, span: Math.max(next.shortest, moved(from.peek() + span.peek()) - start) });
  }

  const fitted = () => ({ from: fit.value.from, span: fit.value.to - fit.value.from });

  function windowOf({ from: start, to: end }: Stretch): Window {
    rescale();
    const { place } = scale.peek();
    return around((place(start) + place(end)) / 2, place(end) - place(start), 0.5);
  }

  return {
    scale,
    width,
    unit,
    /** The start of the visible part, in units of the scale. */
    from: from as ReadonlySignal<number>,
    span: span as ReadonlySignal<number>,
    /** The visible period, in virtual milliseconds. */
    time: computed<Stretch>(() => ({
      from: scale.value.at(from.value),
      to: scale.value.at(from.value + span.value),
    })),
    fitting: fitting as ReadonlySignal<boolean>,
    /** The number of pixels per unit of the scale. */
    pixels: computed(() => width.value / span.value),
    /** Moves to the fitted period if fitting is on, without an animation if nothing was shown before. */
    follow(atOnce: boolean): void {
      const target = fitted();
      if (fitting.peek() && !asked) (atOnce ? settle : glide)(target);
    },
    /** Keeps the visible period after the scale has changed. */
    rescale,
    refit(): void {
      fitting.value = true;
      asked = undefined;
      glide(fitted());
    },
    panBy: (places: number) => hold({ from: from.peek() + places, span: span.peek() }),
    zoomBy(factor: number, part = 0.5): void {
      hold(around(from.peek() + span.peek() * part, span.peek() * factor, part));
    },
    show: (stretch: Stretch, atOnce = false) => ask(() => windowOf(stretch), atOnce ? settle : glide),
    /**
     * Moves the view so that it contains an instant.
     * @param part the instant's position in the view, from 0 to 1
     */
    moveTo(instant: number, part: number): void {
      const size = span.peek();
      ask(() => around(scale.peek().place(instant), size, part), settle);
    },
    /** Moves the view just enough to make an instant visible. */
    reveal(instant: number, byPerson = false): void {
      const size = span.peek();
      const part = (scale.peek().place(instant) - from.peek()) / size;
      if (part >= EDGE && part <= 1 - EDGE) return;
      ask(() => around(scale.peek().place(instant), size, part < EDGE ? 0.2 : 0.8), glide, byPerson);
    },
    /** Makes an instant visible without an animation. If the user has moved the view, its length stays the same. */
    keepInSight(instant: number): void {
      rescale();
      const size = span.peek();
      const place = scale.peek().place(instant);
      const part = (place - from.peek()) / size;
      if (part >= EDGE && part <= KEPT) return;
      settle(fitting.peek() ? fitted() : { from: place - size * (part < EDGE ? EDGE : KEPT), span: size });
    },
    close: () => stop?.(),
  };
}
