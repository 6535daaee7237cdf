import type { Group } from "../../../src/timeline/groups.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import type { TimelineView } from "../../models/timeline/view.ts";

/** How many pixels a press must move to become a drag. Until then it is a click. */
const DRAG_FROM = 4;
const ZOOM_PER_PIXEL = 0.0035;
/** The minimum distance between fingers when zooming, in pixels. Smaller distances are treated as this one. */
const NEAREST = 24;

interface Finger {
  x: number;
  y: number;
}

function spread([a, b]: [Finger, Finger]) {
  return { apart: Math.max(NEAREST, Math.hypot(a.x - b.x, a.y - b.y)), middle: (a.x + b.x) / 2 };
}

/**
 * Dragging and horizontal scrolling pan the view. Pinching zooms around the fingers. Turning the wheel with Ctrl
 * pressed does the same, because trackpads send that for a pinch; in a presentation, the wheel zooms even without Ctrl.
 */
export function bindGestures(stage: HTMLElement, view: TimelineView): () => void {
  const fingers = new Map<number, Finger>();
  let dragging = false;

  /** Converts a position on the screen to a fraction of the view, from 0 to 1. */
  const partAt = (x: number) => {
    const { left, width } = stage.getBoundingClientRect();
    return (x - left) / width;
  };
  const hold = (id: number) => {
    dragging = true;
    stage.dataset.dragging = "";
    stage.setPointerCapture(id);
  };

  const down = (event: PointerEvent) => {
    if (event.button !== 0 || fingers.size === 2) return;
    fingers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    if (fingers.size === 2) for (const id of fingers.keys()) hold(id);
  };
  const move = (event: PointerEvent) => {
    const finger = fingers.get(event.pointerId);
    if (!finger) return;
    const before = fingers.size === 2 ? spread([...fingers.values()] as [Finger, Finger]) : undefined;
    const dx = event.clientX - finger.x;
    if (!dragging) {
      if (Math.abs(dx) < DRAG_FROM) return;
      hold(event.pointerId);
    }
    finger.x = event.clientX;
    finger.y = event.clientY;
    if (!before) return view.panBy(-dx / view.pixels.peek());
    const { apart, middle } = spread([...fingers.values()] as [Finger, Finger]);
    view.panBy((before.middle - middle) / view.pixels.peek());
    view.zoomBy(before.apart / apart, partAt(middle));
  };
  const up = (event: PointerEvent) => {
    fingers.delete(event.pointerId);
    if (fingers.size > 0) return;
    dragging = false;
    delete stage.dataset.dragging;
  };
  const wheel = (event: WheelEvent) => {
    const upright = Math.abs(event.deltaY) > Math.abs(event.deltaX) && !event.shiftKey;
    // A presentation does not scroll, so the wheel can zoom.
    if (event.ctrlKey || (upright && stage.closest(".presentation"))) {
      view.zoomBy(Math.exp(event.deltaY * ZOOM_PER_PIXEL), partAt(event.clientX));
    } else {
      const across = event.shiftKey ? event.deltaY : event.deltaX;
      if (Math.abs(across) <= Math.abs(event.shiftKey ? event.deltaX : event.deltaY)) return;
      view.panBy(across / view.pixels.peek());
    }
    event.preventDefault();
  };

  stage.addEventListener("pointerdown", down);
  stage.addEventListener("pointermove", move);
  // A press must also end if it is released outside the stage.
  addEventListener("pointerup", up);
  addEventListener("pointercancel", up);
  stage.addEventListener("wheel", wheel, { passive: false });
  return () => {
    stage.removeEventListener("pointerdown", down);
    stage.removeEventListener("pointermove", move);
    removeEventListener("pointerup", up);
    removeEventListener("pointercancel", up);
    stage.removeEventListener("wheel", wheel);
  };
}

/** Event handlers for a track. Pressing and dragging move to the pointer's position. */
export const seeksTo = (seek: (event: PointerEvent) => void) => ({
  onPointerDown(event: PointerEvent & { currentTarget: HTMLElement }): void {
    event.stopPropagation();
    event.currentTarget.setPointerCapture(event.pointerId);
    seek(event);
  },
  onPointerMove(event: PointerEvent): void {
    if (event.buttons & 1) seek(event);
  },
});

/** Handles the keys that zoom and that move between attempts. Returns whether the key was handled. */
export function pressOnTimeline(key: string, stage: HTMLElement, model: TimelineModel): boolean {
  const { view, inOrder } = model;
  if (key === "+" || key === "=") view.zoomBy(0.6);
  else if (key === "-") view.zoomBy(1 / 0.6);
  else if (key === "0") model.showAll();
  else {
    const groups = inOrder.value;
    if (key === "ArrowUp" || key === "ArrowDown") return scrollLanes(stage, key === "ArrowUp" ? -1 : 1);
    const group = target(key, groups, focused(stage, groups));
    if (!group) return key.startsWith("Arrow");
    view.reveal(group.at, true);
    focusWhenDrawn(stage, group.key);
  }
  return true;
}

const LANES = ".lanes";

/** Scrolls by a number of lanes. Returns whether anything could scroll. */
function scrollLanes(stage: HTMLElement, lanes: number): boolean {
  const box = stage.querySelector<HTMLElement>(LANES);
  if (!box || box.scrollHeight <= box.clientHeight) return false;
  const { height } = box.querySelector(".mark")?.getBoundingClientRect() ?? { height: 24 };
  box.scrollBy({ top: lanes * height * 1.5 });
  return true;
}

/** Scrolls vertically, just enough to make a mark visible. */
export function showLane(mark: HTMLElement): void {
  const box = mark.closest<HTMLElement>(LANES)!;
  const [seen, own] = [box.getBoundingClientRect(), mark.getBoundingClientRect()];
  if (own.top < seen.top) box.scrollTop -= seen.top - own.top + own.height / 2;
  else if (own.bottom > seen.bottom) box.scrollTop += own.bottom - seen.bottom + own.height / 2;
}

function focused(stage: HTMLElement, groups: Group[]): number {
  const key = (stage.ownerDocument.activeElement as HTMLElement | null)?.dataset.key;
  return key === undefined ? -1 : groups.findIndex((group) => group.key === key);
}

function target(key: string, groups: Group[], at: number): Group | undefined {
  if (key === "Home") return groups[0];
  if (key === "End") return groups.at(-1);
  if (key === "ArrowRight") return groups[at + 1];
  if (key === "ArrowLeft") return at < 0 ? groups.at(-1) : groups[at - 1];
  return undefined;
}

/** Focuses a mark once it is drawn, because the view may still be moving towards it. */
function focusWhenDrawn(stage: HTMLElement, key: string, tries = 30): void {
  const mark = stage.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (mark) {
    mark.focus({ preventScroll: true });
    showLane(mark);
  } else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(stage, key, tries - 1));
}
