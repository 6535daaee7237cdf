import { computed, type ReadonlySignal } from "@preact/signals";
import type { Scale } from "../../models/timeline/fit.ts";
import type { TimelineView } from "../../models/timeline/view.ts";

/** How many parts of a view are drawn again at a time while it is panned. */
const PARTS = 4;
/** So much of a view is drawn beyond its edges while it is zoomed. */
const EDGE = 0.04;
/** After so many views the places are counted from elsewhere, as pixels are no large numbers. */
const VIEWS_FROM_ORIGIN = 64;

/**
 * The stretch of time that is drawn: a little more than is seen. While the view is panned, what is drawn keeps its place, and
 * only what comes in is added.
 */
export interface Frame {
  from: number;
  to: number;
  /** Where pixels are counted from, a place of the scale. */
  origin: number;
  /** Pixels per place. */
  pixels: number;
  scale: Scale;
}

export function frameOf(view: TimelineView): ReadonlySignal<Frame> {
  const slot = computed(() => Math.floor(view.from.value / (view.span.value / PARTS)));
  let drawnSpan: number | undefined;
  return computed(() => {
    const scale = view.scale.value;
    const span = view.span.value;
    const part = span / PARTS;
    const reach = span * VIEWS_FROM_ORIGIN;
    // While the view is zoomed, all is drawn again at each step, and most of what lies beyond it in vain.
    const zooms = drawnSpan !== undefined && drawnSpan !== span;
    drawnSpan = span;
    return {
      from: scale.at(zooms ? view.from.value - span * EDGE : (slot.value - 1) * part),
      to: scale.at(zooms ? view.from.value + span * (1 + EDGE) : (slot.value + PARTS + 2) * part),
      origin: Math.floor((slot.value * part) / reach) * reach,
      pixels: view.pixels.value,
      scale,
    };
  });
}

export const place = ({ origin, pixels, scale }: Frame, at: number): number =>
  Math.round((scale.place(at) - origin) * pixels * 10) / 10;
