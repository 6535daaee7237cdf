import { type ReadonlySignal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { Group } from "../../../src/timeline/groups.ts";
import { number } from "../../models/format.ts";
import { MOST_ATTEMPTS } from "../../models/timeline/data.ts";
import { FEWEST_LANES, OWN_LANES, type TimelineModel } from "../../models/timeline/timeline.ts";
import type { Flag } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { Icon } from "../icon.tsx";
import { Menu } from "../menu.tsx";
import { Button } from "../parts.tsx";
import { Curve } from "./curve.tsx";
import { type Frame, frameOf } from "./frame.ts";
import { bindGestures, pressOnTimeline } from "./gestures.ts";
import { DisabledAt, Now, PastNote, PastSlider, Then } from "./lines.tsx";
import { LANE, Marks } from "./marks.tsx";
import { Beyond, Card } from "./pointed.tsx";
import { Scrubber } from "./scrubber.tsx";
import { Axis, States } from "./tracks.tsx";

interface TimelineProps {
  model: TimelineModel;
  selected: string | undefined;
  onOpen: (group: Group) => void;
  onFlag: (flag: Flag) => void;
  /** Content to show below the stage. */
  children?: ComponentChildren;
}

/** The height of the stage without lanes, in rem. It must match the style sheet. */
const FRAME = 10.5;
/** The maximum magnification of a stage with spare room, normally and in presentation mode. */
const LARGEST = 1.25;
const PRESENTED = 2.2;

/** The timeline of an endpoint, drawn on virtual time. */
export function Timeline({ model, selected, onOpen, onFlag, children }: TimelineProps) {
  const { prefs } = useApp();
  const { view, data } = model;
  const stage = useRef<HTMLDivElement>(null);
  const lanesBox = useRef<HTMLDivElement>(null);
  const frame = useMemo(() => frameOf(view), [view]);
  const pointed = useSignal<Group | undefined>(undefined);
  const all = Math.max(FEWEST_LANES, model.lanes.value);
  // Show as many lanes as fit. The user scrolls to reach the others.
  const lanes = Math.min(all, Math.max(model.room.value, OWN_LANES));
  const scrolls = all > lanes;
  const timeline = model.timeline.value;
  const presenting = prefs.presenting.value;

  useEffect(() => {
    const element = stage.current!;
    const measure = () => {
      const usual = Number.parseFloat(getComputedStyle(document.documentElement).fontSize) / 16 || 1;
      const fits = element.clientHeight / ((FRAME + LANE * lanes) * 16);
      // Use the CSS minimum height, because the actual height depends on the number of lanes that is being computed.
      const free = Number.parseFloat(getComputedStyle(element).minHeight) || 0;
      model.room.value = Math.max(FEWEST_LANES, Math.floor((free / usual / 16 - FRAME) / LANE));
      const [least, most] = presenting ? [1, PRESENTED] : [usual, usual * LARGEST];
      view.unit.value = Math.max(least, Math.min(most, fits));
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
  }, [view, lanes, presenting]);

  const marked = selected === undefined ? undefined : model.marks.value.find(({ key }) => key === selected);
  const at = marked?.at;
  // Keep the open mark in view or, if none is open, the latest attempt.
  const latest = marked ?? model.marks.value.findLast(({ kind }) => kind === "attempt");
  const lane = model.threads.value.get(latest?.eventId ?? "")?.lane ?? 0;
  useEffect(() => {
    const box = lanesBox.current;
    if (!box || !scrolls) return;
    const height = LANE * view.unit.peek() * 16;
    box.scrollTop = Math.min(Math.max(box.scrollTop, (lane + 1) * height - box.clientHeight), lane * height);
  }, [latest?.key, lane, scrolls]);
  useEffect(() => {
    if (at === undefined) return;
    view.reveal(at);
    return () => {
      if (view.fitting.peek()) view.refit();
    };
  }, [selected, at]);

  const counter = timeline?.counter;
  return (
    <div class="timeline" style={{ "--lanes": lanes, "--u": `${view.unit.value * 16}px` }}>
      <div class="timeline-names" aria-hidden="true">
        <span>Virtual time</span>
        <span>State</span>
        <span>Failures in a row</span>
        <span>Attempts</span>
      </div>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset is for a form */}
      <div
        ref={stage}
        class="stage"
        role="group"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move between attempts
        tabIndex={0}
        data-arrows
        aria-label="Timeline: arrow keys go from attempt to attempt, Enter opens one, plus and minus zoom"
        onKeyDown={(event) => {
          if (event.ctrlKey || event.metaKey || event.altKey) return;
          if (pressOnTimeline(event.key, stage.current!, model)) event.preventDefault();
        }}
      >
        <Layer frame={frame} view={view}>
          <Now frame={frame} />
          <div class="track axis">
            <Axis frame={frame} view={view} />
          </div>
          {timeline && (
            <>
              <DisabledAt frame={frame} view={view} timeline={timeline} />
              <div class="track states">
                <States frame={frame} unit={view.unit.value} timeline={timeline} onFlag={onFlag} />
              </div>
              <div class="track curve-track">
                <Curve frame={frame} model={model} />
              </div>
              <Then model={model} frame={frame} />
            </>
          )}
        </Layer>
        {timeline && (
          // biome-ignore lint/a11y/useSemanticElements: a fieldset belongs in a form
          <div
            ref={lanesBox}
            class="lanes"
            role="group"
            aria-label={scrolls ? `Attempts in ${all} lanes, ${lanes} at a time` : "Attempts"}
            tabIndex={scrolls ? 0 : undefined}
            style={{ overflowY: scrolls ? "auto" : "clip" }}
          >
            <div class="lanes-all" style={{ "--all": all }}>
              <Layer frame={frame} view={view}>
                <Marks
                  model={model}
                  frame={frame}
                  selected={selected}
                  onOpen={onOpen}
                  onPoint={(group) => (pointed.value = group)}
                />
                {pointed.value && <Card group={pointed.value} frame={frame.value} view={view} />}
              </Layer>
            </div>
          </div>
        )}
        {counter && (
          <p
            class={`stage-counter ${counter.threshold !== null && counter.consecutive_failures >= counter.threshold ? "bad" : ""}`}
            aria-hidden="true"
          >
            <b key={counter.consecutive_failures}>{counter.consecutive_failures}</b>
            {counter.threshold === null ? "" : `/${counter.threshold}`}
          </p>
        )}
        <Beyond model={model} />
        <PastSlider model={model} />
        <PastNote model={model} />
      </div>
      <div class="timeline-below">{children}</div>
      <div class="timeline-foot">
        <Scrubber model={model} />
        <Zoom model={model} />
      </div>
      {data.full.value && (
        <p class="note timeline-full">
          Only the latest {number(MOST_ATTEMPTS)} attempts are drawn; older ones are in the API.
        </p>
      )}
    </div>
  );
}

const LEGEND = [
  ["good", "delivered"],
  ["bad", "failed"],
  ["good manual", "retried by hand"],
  ["good resend", "resent"],
  ["planned", "planned"],
  ["skipped", "skipped retry", "×"],
  ["skipped unsent", "never sent", "∅"],
  ["forecast", "if all fail"],
];

/** The legend, and controls that show everything again. */
function Zoom({ model }: { model: TimelineModel }) {
  return (
    <div class="actions zoom">
      <Button look="quiet" aria-pressed={model.view.fitting.value} onClick={model.showAll}>
        Fit
      </Button>
      <Menu
        id="legend"
        label="What the marks mean"
        look="button quiet"
        class="up"
        button={<Icon name="more" />}
      >
        <ul class="stack legend">
          {LEGEND.map(([look, means, face]) => (
            <li key={means}>
              <i class={`mark ${face ? "" : "small"} ${look}`}>{face}</i> {means}
            </li>
          ))}
        </ul>
      </Menu>
    </div>
  );
}

interface LayerProps {
  frame: ReadonlySignal<Frame>;
  view: TimelineModel["view"];
  children: ComponentChildren;
}

/**
 * Moves drawn content with the view, which is all that panning changes. The layer must be rendered together with its
 * contents: otherwise the next frame's contents would be misplaced in the previous frame's layer.
 */
export function Layer({ frame, view, children }: LayerProps) {
  const { origin, pixels } = frame.value;
  const shift = (view.from.value - origin) * pixels;
  return (
    <div class="layer" style={{ transform: `translateX(${-shift}px)` }}>
      {children}
    </div>
  );
}
