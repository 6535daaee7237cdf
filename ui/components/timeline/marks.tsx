import type { ReadonlySignal } from "@preact/signals";
import type { Group } from "../../../src/story/groups.ts";
import type { Thread } from "../../../src/story/lanes.ts";
import { shareStyle, visible } from "../../models/timeline/drawn.ts";
import type { TimelineModel } from "../../models/timeline/timeline.ts";
import { groupText } from "../../models/timeline/words.ts";
import { useApp } from "../context.ts";
import { useDrawnNodes } from "./drawn-nodes.ts";
import { type Frame, place } from "./frame.ts";

/** The height of a lane, in rem; the style sheet has the same. */
export const LANE = 1.875;
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
  const keep = useDrawnNodes<Group>(`${window.origin} ${window.pixels} ${selected}`);
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
}

function Mark({ group, frame, selected, onOpen, onPoint }: MarkProps) {
  const { clock } = useApp();
  const { marks, kind, tone, lane, at, end, roomy } = group;
  const [first] = marks;
  const many = marks.length > 1;
  const x = place(frame, at);
  const wide = (end - at) * frame.pixels;
  const top = `${lane * LANE}rem`;
  return (
    <>
      {kind === "attempt" && !many && wide > SHORTEST && (
        <i class={`span ${tone}`} style={{ left: `${x}px`, width: `${Math.round(wide)}px`, top }} />
      )}
      <button
        type="button"
        tabIndex={-1}
        class={`mark ${kind} ${tone}${roomy ? "" : " small"}${many ? " many" : ""} ${first!.trigger}`}
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

/** What holds the attempts of an event together. */
function Threads({ model, frame }: { model: TimelineModel; frame: Frame }) {
  const keep = useDrawnNodes<Thread>(`${frame.origin} ${frame.pixels}`);
  const lines = [];
  for (const thread of model.threads.value.values()) {
    const { from, to } = thread;
    if (to < frame.from || from > frame.to || (to - from) * frame.pixels < SHORTEST) continue;
    lines.push(keep(thread, () => <Line key={thread.eventId} thread={thread} frame={frame} />));
  }
  return <>{lines}</>;
}

function Line({ thread: { from, made, to, lane }, frame }: { thread: Thread; frame: Frame }) {
  const style = (start: number, end: number) => ({
    left: `${place(frame, start)}px`,
    width: `${Math.max(0, (end - start) * frame.pixels)}px`,
    top: `${lane * LANE}rem`,
  });
  return (
    <>
      {made > from && <i class="thread made" style={style(from, made)} />}
      {to > made && <i class="thread ahead" style={style(made, to)} />}
    </>
  );
}
