import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Group } from "../../../src/story/groups.ts";
import { MOST_LANES } from "../../../src/story/lanes.ts";
import { countBefore } from "../../../src/story/marks.ts";
import { brief, number } from "../../models/format.ts";
import { KEPT_ATTEMPTS } from "../../models/timeline/data.ts";
import type { Flag } from "../../models/timeline/states.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { markText } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { Curve } from "./curve.tsx";
import { type Frame, frameOf, place } from "./frame.ts";
import { bindGestures } from "./gestures.ts";
import { pressOnTimeline } from "./keys.ts";
import { LANE, Marks } from "./marks.tsx";
import { Scrubber } from "./scrubber.tsx";
import { Axis, States } from "./tracks.tsx";
import { Zoom } from "./zoom.tsx";

const FEWEST_LANES = 3;

interface TimelineProps {
  model: TimelineModel;
  selected: string | undefined;
  onOpen: (group: Group) => void;
  onFlag: (flag: Flag) => void;
}

/** The timeline of an endpoint: an instrument on virtual time. */
export function Timeline({ model, selected, onOpen, onFlag }: TimelineProps) {
  const { view, data } = model;
  const stage = useRef<HTMLDivElement>(null);
  const frame = useMemo(() => frameOf(view), [view]);
  const pointed = useSignal<Group | undefined>(undefined);
  const lanes = Math.min(MOST_LANES, Math.max(FEWEST_LANES, model.lanes.value));
  const timeline = data.timeline.value;

  useEffect(() => {
    const element = stage.current!;
    const measure = () => {
      view.unit.value = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
      view.width.value = element.clientWidth;
    };
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    const unbind = bindGestures(element, view);
    return () => {
      observer.disconnect();
      unbind();
    };
  }, [view]);

  const counter = timeline?.counter;
  return (
    <div class="timeline" style={{ "--lanes": lanes }}>
      <Zoom view={view} />
      <div class="timeline-names" aria-hidden="true">
        <span>State</span>
        <span>Failures in a row</span>
        <span>Attempts</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div
        ref={stage}
        class="stage"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys go from attempt to attempt
        tabIndex={0}
        data-arrows
        aria-label="Timeline: arrow keys go from attempt to attempt, Enter opens one, plus and minus zoom"
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (pressOnTimeline(event.key, stage.current!, model)) event.preventDefault();
        }}
      >
        <Now model={model} />
        <Layer frame={frame} model={model}>
          <div class="track axis">
            <Axis frame={frame} />
          </div>
          {timeline && (
            <>
              <div class="track states">
                <States frame={frame} timeline={timeline} onFlag={onFlag} />
              </div>
              <div class="track curve-track">
                <Curve frame={frame} model={model} />
              </div>
              <div class="track lanes">
                <Marks
                  model={model}
                  frame={frame}
                  selected={selected}
                  onOpen={onOpen}
                  onPoint={(group) => {
                    pointed.value = group;
                  }}
                />
                {pointed.value && <Card group={pointed.value} frame={frame.value} view={view} />}
              </div>
              <DisabledAt frame={frame} at={timeline.forecast.disabled_at} />
            </>
          )}
        </Layer>
        {counter && (
          <p class="stage-counter" aria-hidden="true">
            <b>{counter.consecutive_failures}</b>/{counter.threshold}
          </p>
        )}
        <Beyond model={model} />
      </div>
      <Scrubber model={model} />
      {data.full.value && (
        <p class="note timeline-full">
          Only the latest {number(KEPT_ATTEMPTS)} attempts are drawn; older ones are in the API.
        </p>
      )}
    </div>
  );
}

type LayerProps = {
  frame: { readonly value: Frame };
  model: TimelineModel;
  children: preact.ComponentChildren;
};

/** What is drawn, moved to where the view is: panning changes nothing else. */
function Layer({ frame, model, children }: LayerProps) {
  const element = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const { origin, pixels } = frame.value;
    const shift = (model.view.from.value - origin) * pixels;
    if (element.current) element.current.style.transform = `translateX(${-shift}px)`;
  });
  return (
    <div ref={element} class="layer">
      {children}
    </div>
  );
}

/** The line at the present, and the future beyond it. */
function Now({ model: { view } }: { model: TimelineModel }) {
  const { clock } = useApp();
  const element = useRef<HTMLDivElement>(null);
  useSignalEffect(() => {
    const x = (clock.now.value - view.from.value) * view.pixels.value;
    const clamped = Math.min(view.width.value + 4, Math.max(-4, x));
    if (element.current) element.current.style.transform = `translateX(${clamped}px)`;
  });
  return (
    <div ref={element} class="now">
      <span>now</span>
    </div>
  );
}

/** Where the endpoint would be disabled, if all that is ahead fails. */
function DisabledAt({ frame, at }: { frame: { readonly value: Frame }; at: string | null }) {
  if (at === null) return null;
  return (
    <i
      class="disabled-at"
      data-testid="disabled-at"
      style={{ left: `${place(frame.value, Date.parse(at))}px` }}
    >
      <span>
        disabled here<span class="at-length">, if all fail</span>
      </span>
    </i>
  );
}

const CARD_MARKS = 5;

/** What the mark says that is pointed at. */
function Card({ group, frame, view }: { group: Group; frame: Frame; view: TimelineModel["view"] }) {
  const { clock } = useApp();
  const right = (group.at - view.from.value) / view.span.value > 0.6;
  const now = clock.exact();
  return (
    <div
      class={`mark-card${right ? " to-left" : ""}`}
      style={{ left: `${place(frame, group.at)}px`, top: `${(group.lane + 1) * LANE}rem` }}
    >
      {group.marks.slice(0, CARD_MARKS).map((mark) => (
        <p key={mark.key}>{markText(mark, now)}</p>
      ))}
      {group.marks.length > CARD_MARKS && <p>and {group.marks.length - CARD_MARKS} more; click to zoom in</p>}
    </div>
  );
}

/** What lies outside the view, and the way there. */
function Beyond({ model }: { model: TimelineModel }) {
  const { view, marks } = model;
  const { clock } = useApp();
  const ends = useComputed(() => {
    const before = countBefore(marks.value, view.from.value);
    return `${before}/${marks.value.length - countBefore(marks.value, view.to.value)}`;
  });
  const [before, after] = ends.value.split("/").map(Number) as [number, number];
  const jump = (side: "left" | "right", number: number, at: number | undefined) =>
    number > 0 &&
    at !== undefined && (
      <button
        type="button"
        tabIndex={-1}
        class={`beyond ${side}`}
        onClick={() => view.reveal(at)}
        title={`${number} outside of what is shown; the nearest at ${brief(at, clock.exact())}`}
      >
        {side === "left" ? `‹ ${number}` : `${number} ›`}
      </button>
    );
  const nearestBefore = before > 0 ? marks.value[before - 1]?.at : undefined;
  const nearestAfter = after > 0 ? marks.value[marks.value.length - after]?.at : undefined;
  return (
    <>
      {jump("left", before, nearestBefore)}
      {jump("right", after, nearestAfter)}
    </>
  );
}
