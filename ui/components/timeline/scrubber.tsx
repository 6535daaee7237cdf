import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import { stamp } from "../../models/format.ts";
import { densityOf, type Slice } from "../../models/timeline/drawn.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { useApp } from "../context.ts";
import { seeksTo } from "./gestures.ts";

/** The width of a bar in the density chart, in pixels. */
const BAR = 5;
const HEIGHT = 20;

/** An overview of the endpoint's whole history, with a handle for the visible part. */
export function Scrubber({ model }: { model: TimelineModel }) {
  const { view, span } = model;
  const track = useRef<HTMLDivElement>(null);

  /** Centres the view on the pointer's position. */
  const seek = (event: PointerEvent) => {
    const { left, width } = track.current!.getBoundingClientRect();
    const { from, to } = span.value;
    const part = Math.min(1, Math.max(0, (event.clientX - left) / width));
    view.moveTo(from + part * (to - from), 0.5);
  };

  return (
    <div ref={track} class="scrubber" {...seeksTo(seek)}>
      <Density model={model} />
      <Present model={model} />
      <Handle model={model} />
    </div>
  );
}

/** The segments of a bar, from bottom to top. */
const STACK = ["bad", "ahead", "pending", "good"] as const;
const allOf = ({ good, bad, pending, ahead }: Slice): number => good + bad + pending + ahead;

function Density({ model: { marks, span, view, earlier } }: { model: TimelineModel }) {
  const slices = useComputed(() =>
    densityOf(marks.value, earlier.value.slices, span.value, Math.floor(view.width.value / BAR)),
  ).value;
  const most = Math.max(1, ...slices.map(allOf));
  return (
    <svg
      width="100%"
      height="100%"
      viewBox={`0 0 ${slices.length} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {slices.map((slice, index) => {
        const all = allOf(slice);
        if (all === 0) return null;
        const height = Math.max(3, (all / most) * HEIGHT);
        let y = HEIGHT;
        return STACK.map((name) => {
          const tall = (slice[name] / all) * height;
          y -= tall;
          return tall > 0 ? (
            <rect key={`${index}/${name}`} class={name} x={index} y={y} width="0.8" height={tall} />
          ) : null;
        });
      })}
    </svg>
  );
}

function Present({ model: { span } }: { model: TimelineModel }) {
  const { stage } = useApp();
  const { from, to } = span.value;
  return (
    <i class="scrubber-now" style={{ translate: `${((stage.second.value - from) / (to - from)) * 100}%` }} />
  );
}

/** A slider. The user can click anywhere on the track, or move the handle with the arrow keys. */
function Handle({ model: { view, span } }: { model: TimelineModel }) {
  const { from, to } = span.value;
  const seen = view.time.value;
  const part = (at: number) => Math.min(100, Math.max(0, ((at - from) / (to - from)) * 100));
  const left = Math.min(99, part(seen.from));

  const press = (event: KeyboardEvent) => {
    const steps: Record<string, () => void> = {
      ArrowLeft: () => view.panBy(-view.span.peek() / 4),
      ArrowRight: () => view.panBy(view.span.peek() / 4),
      PageUp: () => view.panBy(-view.span.peek()),
      PageDown: () => view.panBy(view.span.peek()),
      Home: () => view.moveTo(from, 0),
      End: () => view.moveTo(to, 1),
    };
    const step = steps[event.key];
    if (!step) return;
    event.preventDefault();
    step();
  };

  return (
    <div
      class="scrubber-handle"
      style={{ left: `${left}%`, width: `${part(seen.to) - left}%` }}
      role="slider"
      tabIndex={0}
      aria-label="Visible time range"
      aria-valuemin={from}
      aria-valuemax={to}
      aria-valuenow={Math.round(Math.max(from, seen.from))}
      aria-valuetext={`${stamp(seen.from)} to ${stamp(seen.to)}`}
      onKeyDown={press}
    />
  );
}
