import type { ReadonlySignal } from "@preact/signals";
import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { axisLines } from "../../../src/timeline/axis-labels.ts";
import { countBefore } from "../../../src/timeline/marks.ts";
import { bandsOf, changeGlyph, changeTone } from "../../../src/timeline/states.ts";
import type { Timeline } from "../../api-types.ts";
import type { TimelineView } from "../../models/timeline/view.ts";
import { type Flag, flagsOf } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";

type Framed = { frame: ReadonlySignal<Frame> };

/** The number of instants in a block. Lines are laid out one block at a time. */
const BLOCK = 64;
/**
 * Lines that are closer together than this are drawn as one, and each label gets at least this much room, in unscaled
 * pixels.
 */
const APART = 20;
const ROOM = 8;
const CHARACTER = 7.2;
const DAY_CHARACTER = 8;

/** The time axis: a labelled line at each instant, and the duration until the next one. */
export function Axis({ frame, view }: Framed & { view: TimelineView }) {
  const window = frame.value;
  const { scale, pixels } = window;
  const unit = view.unit.value;
  const { instants } = scale;
  // Start at the boundary of a block, so lines stay where they are while panning.
  const first = Math.max(0, Math.floor(countBefore(instants, window.from) / BLOCK - 1) * BLOCK);
  const last = Math.ceil((countBefore(instants, window.to) + 1) / BLOCK) * BLOCK;
  const lines = useMemo(
    () =>
      axisLines(instants.slice(first, last), (at) => scale.place(at) * pixels, {
        apart: APART * unit,
        gap: ROOM * unit,
        width: (label, day) => label.length * (day ? DAY_CHARACTER : CHARACTER) * unit,
      }),
    [scale, pixels, unit, first, last],
  );
  const shift = window.origin * pixels;
  const seen = lines.filter(
    ({ at }, index) => (lines[index + 1]?.at ?? at) >= window.from && at <= window.to,
  );
  return (
    <>
      {seen.map(({ at, x, label, day, gap }) => (
        <Fragment key={at}>
          <span class="at" style={{ translate: `${Math.round(x - shift)}px` }}>
            <span class={`tick${day && label ? " strong" : ""}`}>{label}</span>
          </span>
          {gap?.torn && <i class="torn" style={{ translate: `${Math.round(gap.x - shift)}px` }} />}
          {gap?.label !== undefined && (
            <span class="gap" style={{ translate: `${Math.round(gap.x - shift)}px` }}>
              {gap.label}
            </span>
          )}
        </Fragment>
      ))}
    </>
  );
}

/**
 * Flags that are closer together than this are placed side by side, so that each of them can be clicked. The distance
 * is in unscaled pixels.
 */
const FLAG_WIDTH = 26;

/** Shows when the endpoint was enabled or disabled, with a flag for each change. */
export function States({
  frame,
  unit,
  timeline,
  onFlag,
}: Framed & { unit: number; timeline: Timeline; onFlag: (flag: Flag) => void }) {
  const { clock } = useApp();
  const window = frame.value;
  const clamp = (at: number) => Math.min(Math.max(at, window.from), window.to);
  let last = Number.NEGATIVE_INFINITY;
  return (
    <>
      {bandsOf(timeline).map(({ from, to, state }) => {
        const [start, end] = [clamp(from), clamp(to ?? window.to)];
        if (end <= start) return null;
        const [left, right] = [place(window, start), place(window, end)];
        const style = { translate: `${left}px`, width: `${right - left}px` };
        return <i key={from} class={`band ${changeTone(state)}`} style={style} />;
      })}
      {flagsOf(timeline, clock.exact())
        .filter(({ at }) => at >= window.from && at <= window.to)
        .map((flag) => {
          const x = Math.max(place(window, flag.at), last + FLAG_WIDTH * unit);
          last = x;
          return (
            <button
              type="button"
              key={flag.key}
              class={`flag ${flag.kind} ${changeTone(flag.kind)}`}
              style={{ translate: `${x}px` }}
              aria-label={flag.text}
              title={flag.text}
              onClick={() => onFlag(flag)}
            >
              {changeGlyph(flag.kind === "forecast" ? "disabled" : flag.kind)}
            </button>
          );
        })}
    </>
  );
}
