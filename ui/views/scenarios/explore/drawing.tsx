import { MarkFace, markClass } from "../../../components/timeline/mark-face.tsx";
import { useWidth } from "../../../components/timeline/strip.tsx";
import type { ExplorationFinding } from "../../../models/scenarios/api.ts";
import { type Drawing, type Drawn, drawBoth } from "../../../models/scenarios/drawing.ts";
import { groupText } from "../../../models/timeline/words.ts";

/** Room at both sides for half a mark, and at the right for a label of the axis; pixels. */
const LEFT = 22;
const RIGHT = 64;
const LEAST_WIDTH = 320;

/** The calm run above the found one, on one axis. */
export function Drawings({ timelines }: { timelines: ExplorationFinding["timelines"] }) {
  const { element, width } = useWidth<HTMLElement>();
  const room = Math.max(LEAST_WIDTH, width.value) - LEFT - RIGHT;
  const drawn = width.value > 0 ? drawBoth(timelines, room) : undefined;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section ref={element} class="explore-drawings" tabIndex={0} aria-label="Both runs on the timeline">
      {drawn && (
        <div style={{ width: `${room + LEFT + RIGHT}px` }}>
          <Axis drawn={drawn} />
          <Run title="When everything goes well" drawn={drawn} of={drawn.calm} />
          <Run title="As found" drawn={drawn} of={drawn.found} />
        </div>
      )}
    </section>
  );
}

function Axis({ drawn }: { drawn: Drawn }) {
  return (
    <div class="explore-axis" aria-hidden="true">
      {drawn.axis.map(
        ({ x, label, day }) =>
          label !== undefined && (
            <span key={x} class={day ? "strong" : undefined} style={{ left: `${LEFT + x}px` }}>
              {label}
            </span>
          ),
      )}
    </div>
  );
}

function Run({ title, drawn, of }: { title: string; drawn: Drawn; of: Drawing }) {
  const place = (at: number) => `${LEFT + drawn.x(at)}px`;
  const since = of.threads[0]?.from ?? 0;
  return (
    <figure class="explore-run">
      <figcaption>{title}</figcaption>
      <div
        class="frame explore-lanes"
        role="img"
        aria-label={`${title}: ${of.groups.map((group) => groupText(group, since)).join("; ")}`}
        style={{ "--lanes": of.lanes }}
      >
        {drawn.axis.map(({ x }) => (
          <i key={x} class="explore-tick" style={{ left: `${LEFT + x}px` }} />
        ))}
        {of.threads.map(({ eventId, event, from, made, lane }) => (
          <div key={eventId} class="explore-lane" style={{ "--at": lane }}>
            <span class="caption" style={{ left: `${LEFT + drawn.x(from) - LEFT / 2}px` }}>
              {event}
            </span>
            <i class="thread" style={{ left: place(from), width: `${drawn.x(made) - drawn.x(from)}px` }} />
            {of.groups
              .filter((group) => group.lane === lane && group.marks[0]!.eventId === eventId)
              .map((group) => (
                <i key={group.key} class={markClass(group)} style={{ left: place(group.at) }}>
                  <MarkFace group={group} />
                </i>
              ))}
          </div>
        ))}
      </div>
    </figure>
  );
}
