import { computed, type ReadonlySignal } from "@preact/signals";
import type { Scale } from "../../models/timeline/fit.ts";
import type { TimelineView } from "../../models/timeline/view.ts";

/** Panning redraws in steps of 1/PARTS of a view. */
const PARTS = 4;
/** The fraction of a view drawn beyond its edges while zooming. */
const EDGE = 0.04;
/** The origin moves after this many views, because large pixel values lose precision. */
const VIEWS_FROM_ORIGIN = 64;

/**
 * The stretch of time that is drawn, slightly more than is visible. While panning, drawn elements keep their position
 * and only newly visible ones are added.
 */
export interface Frame {
  from: number;
  to: number;
  /** The place on the scale where pixels are counted from. */
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
    // Zooming redraws everything at each step, so drawing far beyond the view would be wasted.
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
