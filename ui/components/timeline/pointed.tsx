import { useComputed } from "@preact/signals";
import type { Group } from "../../../src/timeline/groups.ts";
import { countBefore } from "../../../src/timeline/marks.ts";
import { brief } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { markText } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";
import { LANE } from "./marks.tsx";

const CARD_MARKS = 5;

export function Card({ group, frame, view }: { group: Group; frame: Frame; view: TimelineModel["view"] }) {
  const { clock } = useApp();
  const right = (view.scale.value.place(group.at) - view.from.value) / view.span.value > 0.6;
  const now = clock.exact();
  return (
    <div
      class={`mark-card${right ? " to-left" : ""}`}
      style={{ translate: `${place(frame, group.at)}px calc(var(--u) * ${(group.lane + 1) * LANE})` }}
    >
      {group.marks.slice(0, CARD_MARKS).map((mark) => (
        <p key={mark.key}>{markText(mark, now)}</p>
      ))}
      {group.marks.length > CARD_MARKS && <p>and {group.marks.length - CARD_MARKS} more; click to zoom in</p>}
    </div>
  );
}

/** The number of attempts outside the view on each side, with buttons that move there. */
export function Beyond({ model }: { model: TimelineModel }) {
  const { view, marks, earlier } = model;
  const { clock } = useApp();
  const ends = useComputed(() => {
    const { from, to } = view.time.value;
    const before = countBefore(marks.value, from);
    return `${before + earlier.value.attempts}/${marks.value.length - countBefore(marks.value, to)}`;
  });
  const [before, after] = ends.value.split("/").map(Number) as [number, number];
  const jump = (side: "left" | "right", number: number, at: number | undefined) =>
    number > 0 &&
    at !== undefined && (
      <button
        type="button"
        tabIndex={-1}
        class={`beyond ${side}`}
        onClick={() => view.reveal(at, true)}
        title={`${number} outside the visible range; the nearest at ${brief(at, clock.exact())}`}
      >
        {side === "left" ? `‹ ${number}` : `${number} ›`}
      </button>
    );
  const nearestBefore = marks.value[before - earlier.value.attempts - 1]?.at;
  const nearestAfter = after > 0 ? marks.value[marks.value.length - after]?.at : undefined;
  return (
    <>
      {jump("left", before, nearestBefore)}
      {jump("right", after, nearestAfter)}
    </>
  );
}
