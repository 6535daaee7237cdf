import { computed, type ReadonlySignal } from "@preact/signals";
import type { Scale } from "../../models/timeline/fit.ts";
import type { TimelineView } from "../../models/timeline/view.ts";

/** While panning, redraw in steps of 1/PARTS of a view. */
const PARTS = 4;
/** How far beyond the view to draw while zooming, as a fraction of the view. */
const EDGE = 0.04;
/** The origin is moved once the view is this many views away from it, because large pixel values lose precision. */
const VIEWS_FROM_ORIGIN = 64;

/**
 * The period that is drawn, which is slightly longer than the visible one. While panning, elements that are already
 * drawn stay where they are, and only those that become visible are added.
 */
export interface Frame {
  from: number;
  to: number;
  /** The point on the scale from which pixels are counted. */
  origin: number;
  /** The number of pixels per unit of the scale. */
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
    // While zooming, everything is redrawn at each step, so drawing far beyond the view would be a waste of time.
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
