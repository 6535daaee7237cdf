import type { ReadonlySignal } from "@preact/signals";
import type { VNode } from "preact";
import { useRef } from "preact/hooks";
import { type Group, sharesOf } from "../../../src/timeline/groups.ts";
import type { Thread } from "../../../src/timeline/lanes.ts";
import { clip } from "../../../src/timeline/text.ts";
import { visible } from "../../models/timeline/drawn.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { groupText } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { type Frame, place } from "./frame.ts";

/** The height of a lane in rem. It must match the style sheet. */
export const LANE = 2.5;
/** Durations and threads that would be shorter than this, in pixels, are not drawn. */
const SHORTEST = 4;

interface MarksProps {
  model: TimelineModel;
  frame: ReadonlySignal<Frame>;
  /** The key of the mark that is open. */
  selected: string | undefined;
  onOpen: (group: Group) => void;
  onPoint: (group: Group | undefined) => void;
}

/** The attempts that were made, and the planned ones. Each event has its own lane. */
export function Marks({ model, frame, selected, onOpen, onPoint }: MarksProps) {
  const window = frame.value;
  const { stage } = useApp();
  // While an advance is animated, the marks that the line passes appear with a transition.
  const from = stage.playing.value?.from ?? Number.POSITIVE_INFINITY;
  const keep = useDrawnNodes<Group>([...sceneOf(window), selected, from]);
  return (
    <>
      <Threads model={model} frame={window} />
      {model.groups.value.map((groups) =>
        visible(groups, window.from, window.to).map((group) =>
          keep(group, () => (
            <Mark
              key={group.key}
              group={group}
              frame={window}
              fresh={group.kind === "attempt" && group.at > from}
              selected={selected !== undefined && group.marks.some(({ key }) => key === selected)}
              onOpen={onOpen}
              onPoint={onPoint}
            />
          )),
        ),
      )}
    </>
  );
}

interface MarkProps extends Pick<MarksProps, "onOpen" | "onPoint"> {
  group: Group;
  frame: Frame;
  selected: boolean;
  fresh: boolean;
}

function Mark({ group, frame, selected, fresh, onOpen, onPoint }: MarkProps) {
  const { clock } = useApp();
  const { marks, kind, tone, lane, at, end } = group;
  const x = place(frame, at);
  const wide = place(frame, end) - x;
  return (
    <span class="place" style={{ translate: `${x}px calc(var(--u) * ${lane * LANE})` }}>
      {kind === "attempt" && marks.length === 1 && wide > SHORTEST && (
        <i class={`span ${tone}`} style={{ width: `${Math.round(wide)}px` }} />
      )}
      <button
        type="button"
        tabIndex={-1}
        class={fresh ? `${markClass(group)} fresh` : markClass(group)}
        data-key={group.key}
        aria-label={markName(group, groupText(group, clock.exact()))}
        aria-current={selected || undefined}
        onClick={() => onOpen(group)}
        onPointerEnter={() => onPoint(group)}
        onPointerLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(group)}
        onBlur={() => onPoint(undefined)}
      >
        <MarkFace group={group} />
      </button>
    </span>
  );
}

const sceneOf = ({ origin, pixels, scale }: Frame) => [origin, pixels, scale];

/** A caption is drawn only if at least this many characters fit. */
const SHORTEST_CAPTION = 8;
/** If there are more lanes than this, captions are drawn only if they fit completely. */
const SPARSE_LANES = 5;
/** The width of a character in a caption, in unscaled pixels. */
const CHARACTER = 8;

/** The lines that connect the attempts of each event, with the events' captions. */
function Threads({ model, frame }: { model: TimelineModel; frame: Frame }) {
  const captionOf = model.captionOf.value;
  const unit = model.view.unit.value;
  const seen = [...model.threads.value.values()].filter(
    ({ from, to }) => to >= frame.from && from <= frame.to,
  );
  const rooms = roomsOf(seen, frame);
  const newest = Math.max(...[...model.threads.value.values()].map(({ to }) => to));
  const oldest = Math.min(...seen.map(({ from }) => place(frame, from)));
  const earlier: number[] = [];
  const dense = model.lanes.value > SPARSE_LANES;
  const keep = useDrawnNodes<Thread>([...sceneOf(frame), unit, captionOf, newest]);
  return (
    <>
      {linesOf(seen, frame).map(({ kind, lane, left, right }, index) => (
        <i
          // If indexes are used as keys, nodes can be reused at a different scale.
          key={index}
          class={`thread ${kind}`}
          style={{ translate: `${left}px calc(var(--u) * ${lane * LANE})`, width: `${right - left}px` }}
        />
      ))}
      {seen.map((thread) => {
        const characters = thread.crowded
          ? 0
          : Math.floor((rooms.get(thread.eventId) ?? 0) / (CHARACTER * unit)) - 1;
        const whole = captionOf(thread);
        const x = place(frame, thread.from);
        // At the end of the drawing, a name would be cut off, so place it before its mark if there is enough room.
        const before =
          thread.from >= newest && x - (earlier[thread.lane] ?? oldest) > 2 * whole.length * CHARACTER * unit;
        earlier[thread.lane] = x;
        if (characters < Math.min(whole.length, dense ? whole.length : SHORTEST_CAPTION)) return null;
        const caption = characters >= whole.length ? whole : clip(thread.event, characters);
        return keep(thread, () => (
          <Name key={thread.eventId} lane={thread.lane} x={x} before={before} caption={caption} />
        ));
      })}
    </>
  );
}

interface ThreadLine {
  kind: "made" | "ahead";
  lane: number;
  left: number;
  right: number;
}

/** The connecting lines. Lines in a lane that touch are merged, so they do not pile up in a crowded lane. */
function linesOf(threads: readonly Thread[], frame: Frame): ThreadLine[] {
  const lines: ThreadLine[] = [];
  const open = new Map<string, ThreadLine>();
  const add = (kind: ThreadLine["kind"], lane: number, from: number, to: number) => {
    const [left, right] = [place(frame, from), place(frame, to)];
    const last = open.get(`${kind}/${lane}`);
    if (last && left - last.right < SHORTEST) {
      last.right = Math.max(last.right, right);
      return;
    }
    const line = { kind, lane, left, right };
    lines.push(line);
    open.set(`${kind}/${lane}`, line);
  };
  for (const { from, made, to, lane } of threads) {
    add("made", lane, from, made);
    if (to > made) add("ahead", lane, made, to);
  }
  return lines.filter(({ left, right }) => right - left >= SHORTEST);
}

/** The distance in pixels from the start of each event to the next event in its lane. */
function roomsOf(threads: readonly Thread[], frame: Frame): Map<string, number> {
  const rooms = new Map<string, number>();
  const next: number[] = [];
  for (const { eventId, lane, from } of threads.toReversed()) {
    const x = place(frame, from);
    rooms.set(eventId, (next[lane] ?? Number.POSITIVE_INFINITY) - x);
    next[lane] = x;
  }
  return rooms;
}

function Name({ lane, x, before, caption }: { lane: number; x: number; before: boolean; caption: string }) {
  return (
    <span class="at" style={{ translate: `${x}px calc(var(--u) * ${lane * LANE})` }}>
      <span class={before ? "lane-name before" : "lane-name"} aria-hidden="true">
        {caption}
      </span>
    </span>
  );
}

/**
 * Reuses the nodes of things that have not changed, because Preact skips identical nodes.
 * @param scene values that every node depends on; if the scene changes, all nodes are redrawn
 */
export function useDrawnNodes<Thing extends object>(scene: readonly unknown[]) {
  const drawn = useRef({ scene, nodes: new Map<Thing, VNode>() });
  const same = drawn.current.scene.every((one, index) => one === scene[index]);
  const before = same ? drawn.current.nodes : new Map<Thing, VNode>();
  const nodes = new Map<Thing, VNode>();
  drawn.current = { scene, nodes };
  return (thing: Thing, make: () => VNode): VNode => {
    const node = before.get(thing) ?? make();
    nodes.set(thing, node);
    return node;
  };
}

/** Labels with more characters than this need a wider mark. */
const LONGEST_LABEL = 3;

const labelOf = ({ marks, roomy }: Group): string =>
  !roomy ? "" : marks.length > 1 ? `${marks.length}×` : marks[0]!.label;

/** The accessible name of a mark. It includes the visible label, because users of voice control say it. */
export function markName(group: Group, text: string): string {
  const label = group.marks.length > 1 ? "" : labelOf(group);
  return text.includes(label) ? text : `${label}: ${text}`;
}

export function markClass(group: Group): string {
  const { kind, tone, marks, roomy } = group;
  const size = !roomy ? " small" : labelOf(group).length > LONGEST_LABEL ? " wide" : "";
  const unsent = kind === "skipped" && marks[0]!.attempt === 1 ? " unsent" : "";
  return `mark ${kind} ${tone} ${marks[0]!.trigger}${unsent}${size}${marks.length > 1 ? " many" : ""}`;
}

/** The content of a mark: its label and, for a group, how many attempts failed or are in progress. */
export function MarkFace({ group }: { group: Group }) {
  const label = labelOf(group);
  if (group.kind !== "attempt" || group.marks.length === 1) return <>{label}</>;
  const { bad, pending } = sharesOf(group);
  return (
    <>
      {pending > 0 && <i class="share pending" style={{ height: `${bad + pending}%` }} />}
      {bad > 0 && <i class="share" style={{ height: `${bad}%` }} />}
      <span class="label">{label}</span>
    </>
  );
}
