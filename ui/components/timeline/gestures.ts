import type { Group } from "../../../src/timeline/groups.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import type { TimelineView } from "../../models/timeline/view.ts";

/** A press becomes a drag after so many pixels; until then it is a click. */
const DRAG_FROM = 4;
const ZOOM_PER_PIXEL = 0.0035;
/** Fingers nearer to each other than this zoom as if they were so far apart, pixels. */
const NEAREST = 24;

interface Finger {
  x: number;
  y: number;
}

function spread([a, b]: [Finger, Finger]) {
  return { apart: Math.max(NEAREST, Math.hypot(a.x - b.x, a.y - b.y)), middle: (a.x + b.x) / 2 };
}

/**
 * Dragging pans; so does a sideways wheel. Two fingers zoom, around where they are; so does a wheel with Ctrl, which is
 * what a pinch on a trackpad sends, and in a presentation the wheel alone.
 */
export function bindGestures(stage: HTMLElement, view: TimelineView): () => void {
  const fingers = new Map<number, Finger>();
  let dragging = false;

  /** Where in the view a place on the screen is, 0 to 1. */
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
    // A presentation has nothing that the wheel could scroll.
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
  // A press that ends outside of the stage, without having become a drag, ends as well.
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

/** A track on which a press, and a drag after it, leads to where the pointer is. */
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

/** From attempt to attempt, and zoom. Tells whether the key meant something. */
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

/** Scrolls by a lane. Tells whether there was anything to scroll. */
function scrollLanes(stage: HTMLElement, lanes: number): boolean {
  const box = stage.querySelector<HTMLElement>(LANES);
  if (!box || box.scrollHeight <= box.clientHeight) return false;
  const { height } = box.querySelector(".mark")?.getBoundingClientRect() ?? { height: 24 };
  box.scrollBy({ top: lanes * height * 1.5 });
  return true;
}

/** Scrolls as little as it takes to see a mark, up or down. */
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

/** The view may still be gliding there. */
function focusWhenDrawn(stage: HTMLElement, key: string, tries = 30): void {
  const mark = stage.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  if (mark) {
    mark.focus({ preventScroll: true });
    showLane(mark);
  } else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(stage, key, tries - 1));
}
