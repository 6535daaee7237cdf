import type { Group } from "../../../src/story/groups.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";

/** From attempt to attempt, and zoom. Tells whether the key meant something. */
export function pressOnTimeline(key: string, stage: HTMLElement, model: TimelineModel): boolean {
  const { view, inOrder } = model;
  if (key === "+" || key === "=") view.zoomBy(0.6);
  else if (key === "-") view.zoomBy(1 / 0.6);
  else if (key === "0") view.refit();
  else {
    const groups = inOrder.value;
    const group = target(key, groups, focused(stage, groups));
    if (!group) return key.startsWith("Arrow") && !key.endsWith("Up") && !key.endsWith("Down");
    view.reveal(group.at);
    focusWhenDrawn(stage, group.key);
  }
  return true;
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
  if (mark) mark.focus({ preventScroll: true });
  else if (tries > 0) requestAnimationFrame(() => focusWhenDrawn(stage, key, tries - 1));
}
