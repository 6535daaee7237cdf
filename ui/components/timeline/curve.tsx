import { type ReadonlySignal, useComputed } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";
import { curveSince, curveTop, type Scale, staircase } from "../../../src/timeline/counter.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";

/** The height of the track for the failure counter, in SVG units. */
const HEIGHT = 40;
/** The height of the bottom strip, in SVG units. Within it the counter is 0, and the line is not red. */
const HEALTHY = 0.75;

interface CurveProps {
  frame: ReadonlySignal<Frame>;
  model: TimelineModel;
}

/** Draws the consecutive failures over time, up to the threshold that disables the endpoint. */
export function Curve({ frame, model }: CurveProps) {
  const failing = useId();
  const window = frame.value;
  const timeline = model.timeline.value;
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
  const line = `${staircase(past, 0, start, scale)}H${width}`;
  const drawing = (children: ComponentChildren) => (
    <svg
      width={width}
      height="100%"
      viewBox={`0 0 ${width} ${HEIGHT}`}
      preserveAspectRatio="none"
      aria-hidden="true"
    >
      {children}
    </svg>
  );
  return (
    <div class="curve" style={{ translate: `${left}px`, width: `${width}px` }}>
      {drawing(
        top === threshold && (
          <line
            class={value > 0 || ahead.length > 0 ? "threshold near" : "threshold"}
            x1="0"
            x2={width}
            y1={scale.y(top)}
            y2={scale.y(top)}
          />
        ),
      )}
      <UntilNow frame={frame} model={model}>
        {drawing(
          <>
            <clipPath id={failing}>
              <rect x="0" y={-HEIGHT} width={width} height={2 * HEIGHT - HEALTHY} />
            </clipPath>
            <path class="fill" d={`${line}V${HEIGHT}H0Z`} />
            <path class="line healthy" d={line} />
            <path class="line" d={line} clip-path={`url(#${failing})`} />
          </>,
        )}
      </UntilNow>
      {ahead.length > 0 && (
        <UntilNow frame={frame} model={model} after>
          {drawing(<path class="line ahead" d={staircase(ahead, 0, value, scale)} />)}
        </UntilNow>
      )}
    </div>
  );
}

/** Clips a drawing to the part before or after the current time. Only the clip moves; the drawing stays where it is. */
function UntilNow({
  frame,
  model,
  after,
  children,
}: CurveProps & { after?: true; children: ComponentChildren }) {
  const { stage } = useApp();
  const moved = useComputed(() => {
    const { from, to } = frame.value;
    const now = Math.min(Math.max(model.past.value ?? stage.now.value, from), to);
    return place(frame.value, now) - place(frame.value, after ? from : to);
  }).value;
  return (
    <div class="until" style={{ translate: `${moved}px` }}>
      <div style={{ translate: `${-moved}px` }}>{children}</div>
    </div>
  );
}
