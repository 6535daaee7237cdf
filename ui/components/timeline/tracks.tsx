import type { ReadonlySignal } from "@preact/signals";
import { bandsOf, CHANGE_GLYPHS } from "../../../src/story/states.ts";
import { ticksOf } from "../../../src/story/ticks.ts";
import type { Timeline } from "../../api-types.ts";
import { type Flag, flagsOf } from "../../models/timeline/states.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";

type Framed = { frame: ReadonlySignal<Frame> };

/** The time axis. */
export function Axis({ frame }: Framed) {
  const window = frame.value;
  return (
    <>
      {ticksOf(window.from, window.to, window.pixels).map(({ at, label, strong }) => (
        <span key={at} class={`tick${strong ? " strong" : ""}`} style={{ left: `${place(window, at)}px` }}>
          {label}
        </span>
      ))}
    </>
  );
}

/** Flags nearer to each other than this are put side by side, pixels. */
const FLAG_WIDTH = 20;

/** Whether the endpoint was on or off, and what happened to it. */
export function States({
  frame,
  timeline,
  onFlag,
}: Framed & { timeline: Timeline; onFlag: (flag: Flag) => void }) {
  const { clock } = useApp();
  const window = frame.value;
  const clamp = (at: number) => Math.min(Math.max(at, window.from), window.to);
  let last = Number.NEGATIVE_INFINITY;
  return (
    <>
      {bandsOf(timeline).map(({ from, to, state }) => {
        const [start, end] = [clamp(from), clamp(to ?? window.to)];
        if (end <= start) return null;
        const style = { left: `${place(window, start)}px`, width: `${(end - start) * window.pixels}px` };
        return <i key={from} class={`band ${state}`} style={style} />;
      })}
      {flagsOf(timeline, clock.exact())
        .filter(({ at }) => at >= window.from && at <= window.to)
        .map((flag) => {
          const x = Math.max(place(window, flag.at), last + FLAG_WIDTH);
          last = x;
          return (
            <button
              type="button"
              key={flag.key}
              class={`flag ${flag.kind}`}
              style={{ left: `${x}px` }}
              aria-label={flag.text}
              title={flag.text}
              onClick={() => onFlag(flag)}
            >
              {CHANGE_GLYPHS[flag.kind] ?? CHANGE_GLYPHS.disabled}
            </button>
          );
        })}
    </>
  );
}
