import type { ReadonlySignal } from "@preact/signals";
import type { Group } from "../../../src/story/groups.ts";
import type { Thread } from "../../../src/story/lanes.ts";
import { clip } from "../../../src/story/text.ts";
import { shareStyle, visible } from "../../models/timeline/drawn.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { groupText } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { useDrawnNodes } from "./drawn-nodes.ts";
import { type Frame, place } from "./frame.ts";

/** The height of a lane, in rem; the style sheet has the same. */
export const LANE = 2.5;
/** A duration or a thread shorter than this is not drawn, pixels. */
const SHORTEST = 4;

interface MarksProps {
  model: TimelineModel;
  frame: ReadonlySignal<Frame>;
  /** The key of the mark that is open. */
  selected: string | undefined;
  onOpen: (group: Group) => void;
  onPoint: (group: Group | undefined) => void;
}

/** Attempts made, and ghosts of those to come, each event in its lane. */
export function Marks({ model, frame, selected, onOpen, onPoint }: MarksProps) {
  const window = frame.value;
  const { stage } = useApp();
  // What is new while the line goes through it appears with a movement.
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
  const { marks, kind, tone, lane, at, end, roomy } = group;
  const [first] = marks;
  const many = marks.length > 1;
  const x = place(frame, at);
  const wide = place(frame, end) - x;
  const top = `${lane * LANE}rem`;
  return (
    <>
      {kind === "attempt" && !many && wide > SHORTEST && (
        <i class={`span ${tone}`} style={{ left: `${x}px`, width: `${Math.round(wide)}px`, top }} />
      )}
      <button
        type="button"
        tabIndex={-1}
        class={`mark ${kind} ${tone}${roomy ? "" : " small"}${many ? " many" : ""}${fresh ? " fresh" : ""} ${first!.trigger}`}
        style={{ left: `${x}px`, top, ...shareStyle(group) }}
        data-key={group.key}
        aria-label={groupText(group, clock.exact())}
        aria-current={selected || undefined}
        onClick={() => onOpen(group)}
        onPointerEnter={() => onPoint(group)}
        onPointerLeave={() => onPoint(undefined)}
        onFocus={() => onPoint(group)}
        onBlur={() => onPoint(undefined)}
        data-label={!roomy ? undefined : many ? `${marks.length}×` : first!.label}
      />
    </>
  );
}

const sceneOf = ({ origin, pixels, scale }: Frame) => [origin, pixels, scale];

/** A caption is drawn where there is room for so many characters. */
const SHORTEST_CAPTION = 8;
/** The width of a character of a caption, pixels of the usual size. */
const CHARACTER = 7;

/** What holds the attempts of an event together, and its name. */
function Threads({ model, frame }: { model: TimelineModel; frame: Frame }) {
  const captionOf = model.captionOf.value;
  const unit = model.view.unit.value;
  const keep = useDrawnNodes<Thread>([...sceneOf(frame), unit, captionOf]);
  const lines = [];
  const rooms = roomsOf(model.threads.value, frame);
  for (const thread of model.threads.value.values()) {
    const { from, to, crowded, eventId } = thread;
    if (to < frame.from || from > frame.to) continue;
    const characters = crowded ? 0 : Math.floor((rooms.get(eventId) ?? 0) / (CHARACTER * unit)) - 1;
    const whole = captionOf(thread);
    const caption =
      characters >= whole.length
        ? whole
        : characters < SHORTEST_CAPTION
          ? undefined
          : clip(thread.event, characters);
    lines.push(keep(thread, () => <Line key={eventId} thread={thread} frame={frame} caption={caption} />));
  }
  return <>{lines}</>;
}

/** How much room there is from the beginning of each event to the next in its lane, pixels. */
function roomsOf(threads: ReadonlyMap<string, Thread>, frame: Frame): Map<string, number> {
  const rooms = new Map<string, number>();
  const next: number[] = [];
  for (const { eventId, lane, from, to } of [...threads.values()].reverse()) {
    if (to < frame.from || from > frame.to) continue;
    const x = place(frame, from);
    rooms.set(eventId, (next[lane] ?? Number.POSITIVE_INFINITY) - x);
    next[lane] = x;
  }
  return rooms;
}

interface LineProps {
  thread: Thread;
  frame: Frame;
  caption: string | undefined;
}

function Line({ thread: { from, made, to, lane }, frame, caption }: LineProps) {
  const top = `${lane * LANE}rem`;
  const stretch = (start: number, end: number, kind: string) => {
    const [left, right] = [place(frame, start), place(frame, end)];
    if (right - left < SHORTEST) return null;
    return <i class={`thread ${kind}`} style={{ left: `${left}px`, width: `${right - left}px`, top }} />;
  };
  return (
    <>
      {stretch(from, made, "made")}
      {stretch(made, to, "ahead")}
      {caption !== undefined && (
        <span class="lane-name" aria-hidden="true" style={{ left: `${place(frame, from)}px`, top }}>
          {caption}
        </span>
      )}
    </>
  );
}
