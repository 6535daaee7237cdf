import type { ReadonlySignal } from "@preact/signals";
import { useComputed } from "@preact/signals";
import { useId } from "preact/hooks";
import { curveSince, curveTop, type Scale, staircase } from "../../../src/timeline/counter.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";

/** The height of the counter's track in the units of its drawing. */
const HEIGHT = 40;
/** Where the counter is 0, the line is not red: so much of the drawing, from below. */
const HEALTHY = 0.75;

/** Failures in a row over time, up to the line at which the endpoint is disabled. */
export function Curve({ frame, model }: { frame: ReadonlySignal<Frame>; model: TimelineModel }) {
  const { stage } = useApp();
  const failing = useId();
  const window = frame.value;
  const timeline = model.timeline.value;
  // Only where now is within what is drawn, the drawing follows it.
  const now = useComputed(() =>
    Math.min(Math.max(model.past.value ?? stage.now.value, frame.value.from), frame.value.to),
  );
  if (!timeline) return null;
  const { threshold, consecutive_failures: value } = timeline.counter;
  const { start, past, ahead } = curveSince(model.curve.value, window.from);
  const top = curveTop(model.curve.value, threshold);
  const left = place(window, window.from);
  const scale: Scale = {
    x: (at) => place(window, at) - left,
    y: (level) => HEIGHT - (Math.min(level, top) / top) * (HEIGHT - 4),
  };
  const width = scale.x(window.to);
  const shown = past.filter(({ at }) => at <= now.value);
  const line = `${staircase(shown, 0, start, scale)}H${Math.round(scale.x(now.value))}`;
  return (
    <svg
      class="curve"
      style={{ left: `${left}px` }}
      width={width}
      height="100%"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      <clipPath id={failing}>
        <rect x="0" y={-HEIGHT} width={width} height={2 * HEIGHT - HEALTHY} />
      </clipPath>
      {top === threshold && (
        <line
          class={value > 0 || ahead.length > 0 ? "threshold near" : "threshold"}
          x1="0"
          x2={width}
          y1={scale.y(top)}
          y2={scale.y(top)}
        />
      )}
      <path class="fill" d={`${line}V${HEIGHT}H0Z`} />
      <path class="line healthy" d={line} />
      <path class="line" d={line} clip-path={`url(#${failing})`} />
      {ahead.length > 0 && (
        <path class="line ahead" d={staircase(ahead, Math.round(scale.x(now.value)), value, scale)} />
      )}
    </svg>
  );
}
