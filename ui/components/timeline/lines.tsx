import { useComputed } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { Timeline } from "../../api-types.ts";
import { brief, count, timeText, toMs } from "../../models/format.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";
import { seeksTo } from "./gestures.ts";

interface LineProps {
  model: TimelineModel;
  frame: { readonly value: Frame };
}

/**
 * The position of a line: at its instant, or just outside the view if the instant is further away. `translate` moves it
 * without a new layout.
 */
const lineAt = (frame: Frame, at: number) => ({
  translate: `${place(frame, Math.min(frame.to, Math.max(frame.from, at)))}px`,
});

/**
 * The line at the displayed time, and the future after it. They are drawn together with the marks, so no mark is ahead
 * of the line.
 */
export function Now({ frame }: Pick<LineProps, "frame">) {
  const { stage } = useApp();
  return (
    <div class="now" style={lineAt(frame.value, stage.now.value)}>
      <span>now</span>
    </div>
  );
}

/** The line at the past instant that the user is inspecting. */
export function Then({ model, frame }: LineProps) {
  const { clock } = useApp();
  const at = model.past.value;
  if (at === undefined) return null;
  return (
    <div class="then" style={lineAt(frame.value, at)}>
      <span>{brief(at, clock.exact())}</span>
    </div>
  );
}

interface DisabledAtProps extends Pick<LineProps, "frame"> {
  view: TimelineModel["view"];
  timeline: Timeline;
}

/** The line at the time when the endpoint was disabled, or would be if every planned retry fails. */
export function DisabledAt({ frame, view, timeline }: DisabledAtProps) {
  const { changes, counter, forecast, status } = timeline;
  const made = status === "disabled" ? changes.findLast(({ type }) => type === "disabled") : undefined;
  const iso = made?.at ?? forecast.disabled_at;
  if (iso === null) return null;
  const at = toMs(iso);
  const part = (view.scale.value.place(at) - view.from.value) / view.span.value;
  const why =
    made?.reason === "consecutive_failures"
      ? `, after ${count(counter.threshold ?? 0, "failure")} in a row`
      : "";
  return (
    <i
      class={`disabled-at${made ? " made" : ""}${part < 0.35 ? " to-right" : ""}`}
      data-testid={made ? "disabled" : "disabled-at"}
      style={lineAt(frame.value, at)}
    >
      <span>
        {made ? `Disabled ${timeText(at).slice(0, 5)}` : "disabled here"}
        <span class="at-length">{made ? why : ", if all fail"}</span>
      </span>
    </i>
  );
}

/** Shows the endpoint's past. The user drags along the axis, or moves between instants with the keyboard. */
export function PastSlider({ model }: { model: TimelineModel }) {
  const { stage } = useApp();
  const { view, past, wholeInstants } = model;
  const track = useRef<HTMLDivElement>(null);
  const now = useComputed(() => stage.playing.value?.to ?? stage.second.value).value;

  const look = (at: number) => (past.value = at >= stage.now.peek() ? undefined : Math.round(at));
  const seek = (event: PointerEvent) => {
    const { left, width } = track.current!.getBoundingClientRect();
    const part = (event.clientX - left) / width;
    look(view.scale.peek().at(view.from.peek() + part * view.span.peek()));
  };
  const press = (event: KeyboardEvent) => {
    const at = past.peek() ?? stage.now.peek();
    const instants = wholeInstants.peek();
    const to: Record<string, () => number | undefined> = {
      ArrowLeft: () => instants.findLast((one) => one < at),
      ArrowRight: () => instants.find((one) => one > at) ?? Number.POSITIVE_INFINITY,
      Home: () => instants[0],
      End: () => Number.POSITIVE_INFINITY,
      Escape: () => Number.POSITIVE_INFINITY,
    };
    const found = Object.hasOwn(to, event.key) ? to[event.key]!() : undefined;
    if (found === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    look(found);
  };

  return (
    <div
      ref={track}
      class="past-slider"
      role="slider"
      tabIndex={0}
      title="Drag to see the endpoint as it was"
      aria-label="Point in time"
      aria-valuemin={Math.min(wholeInstants.value[0] ?? now, now)}
      aria-valuemax={now}
      aria-valuenow={past.value ?? now}
      aria-valuetext={past.value === undefined ? "now" : timeText(past.value)}
      onKeyDown={press}
      {...seeksTo(seek)}
    />
  );
}

/** A note saying that the past is shown, with a button to return to the present. */
export function PastNote({ model }: { model: TimelineModel }) {
  const { clock } = useApp();
  const at = model.past.value;
  if (at === undefined || model.replaying.value) return null;
  return (
    <p class="past-note" role="status">
      As it was at <b>{brief(at, clock.exact())}</b>
      <button type="button" class="link" onClick={() => (model.past.value = undefined)}>
        Back to now
      </button>
    </p>
  );
}
