import type { TimelineView } from "../../models/timeline/view.ts";

/** A press becomes a drag after so many pixels; until then it is a click. */
const DRAG_FROM = 4;
const ZOOM_PER_PIXEL = 0.0035;

/** Dragging pans; so does a sideways wheel. A wheel with Ctrl, which is what a pinch sends, zooms. */
export function bindGestures(stage: HTMLElement, view: TimelineView): () => void {
  let press: { x: number; id: number; dragging: boolean } | undefined;

  const down = (event: PointerEvent) => {
    if (event.button === 0) press = { x: event.clientX, id: event.pointerId, dragging: false };
  };
  const move = (event: PointerEvent) => {
    if (!press || press.id !== event.pointerId) return;
    const dx = event.clientX - press.x;
    if (!press.dragging) {
      if (Math.abs(dx) < DRAG_FROM) return;
      press.dragging = true;
      stage.setPointerCapture(event.pointerId);
      stage.dataset.dragging = "";
    }
    press.x = event.clientX;
    view.panBy(-dx / view.pixels.peek());
  };
  const up = () => {
    press = undefined;
    delete stage.dataset.dragging;
  };
  const wheel = (event: WheelEvent) => {
    if (event.ctrlKey) {
      const { left, width } = stage.getBoundingClientRect();
      view.zoomBy(Math.exp(event.deltaY * ZOOM_PER_PIXEL), (event.clientX - left) / width);
    } else {
      const across = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(across) <= Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) return;
      view.panBy(across / view.pixels.peek());
    }
    event.preventDefault();
  };

  stage.addEventListener("pointerdown", down);
  stage.addEventListener("pointermove", move);
  stage.addEventListener("pointerup", up);
  stage.addEventListener("pointercancel", up);
  stage.addEventListener("wheel", wheel, { passive: false });
  return () => {
    stage.removeEventListener("pointerdown", down);
    stage.removeEventListener("pointermove", move);
    stage.removeEventListener("pointerup", up);
    stage.removeEventListener("pointercancel", up);
    stage.removeEventListener("wheel", wheel);
  };
}
