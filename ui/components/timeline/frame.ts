import { computed, type ReadonlySignal } from "@preact/signals";
import type { TimelineView } from "../../models/timeline/view.ts";

/** How many parts of a view are drawn again at a time while it is panned. */
const PARTS = 4;
/** After so many views the places are counted from elsewhere, as pixels are no large numbers. */
const VIEWS_FROM_ORIGIN = 64;

/**
 * What is drawn at a time: a little more than is seen. While the view is panned, what is drawn keeps its place, and
 * only what comes in is added.
 */
export interface Frame {
  from: number;
  to: number;
  /** Where places are counted from. */
  origin: number;
  /** Pixels per millisecond. */
  pixels: number;
}

export function frameOf(view: TimelineView): ReadonlySignal<Frame> {
  const slot = computed(() => Math.floor(view.from.value / (view.span.value / PARTS)));
  return computed(() => {
    const part = view.span.value / PARTS;
    const reach = view.span.value * VIEWS_FROM_ORIGIN;
    return {
      from: (slot.value - 1) * part,
      to: (slot.value + PARTS + 2) * part,
      origin: Math.floor((slot.value * part) / reach) * reach,
      pixels: view.pixels.value,
    };
  });
}

/** Where an instant is, in pixels. */
export const place = ({ origin, pixels }: Frame, at: number): number =>
  Math.round((at - origin) * pixels * 10) / 10;
