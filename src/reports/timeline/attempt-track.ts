import { type Html, html } from "../../html/html.ts";
import { counterWords } from "../../timeline/counter.ts";
import { type Group, groupMarks, sharesOf } from "../../timeline/groups.ts";
import { instant } from "../../timeline/instant.ts";
import { MOST_LANES, type Thread } from "../../timeline/lanes.ts";
import { groupWords, type Mark } from "../../timeline/marks.ts";
import { count } from "../../timeline/text.ts";
import type { Excerpt } from "./excerpt.ts";
import { AXIS, CURVE, type Frame, LANE, LEFT, STATES } from "./frame.ts";

const TOP = AXIS + STATES + CURVE;
/** The vertical positions of captions and of the centres of marks within a lane, in pixels. */
const CAPTION = 11;
const MIDDLE = 28;
const HEIGHT = 22;
const WIDTH = 34;
const SMALL = { width: 9, height: 16 };
/** The horizontal and vertical offset of the second shape of a resend. */
const BEHIND = 4;
/** Durations and threads that would be shorter than this, in pixels, are not drawn. */
const SHORTEST = 4;

/** Draws past and planned attempts, with one lane for each event. */
export function attemptTrack(
  { timeline, marks }: Excerpt,
  threads: ReadonlyMap<string, Thread>,
  captionOf: (thread: Thread) => string,
  frame: Frame,
): Html {
  const all = [...threads.values()];
  const crowded = all.some((thread) => thread.crowded);
  const shared = new Set(all.filter(({ lane }) => crowded && lane === MOST_LANES - 1));
  const groups = groupMarks(marks, threads, frame.x).flat();
  const { threshold } = timeline.counter;
  return html`${all.map((thread) => threadLine(thread, shared.has(thread) ? "" : captionOf(thread), frame))}${groups.map(
    (group) => groupMark(group, threshold, frame),
  )}${
    crowded &&
    html`<text class="caption" x="${LEFT}" y="${TOP + (MOST_LANES - 1) * LANE + CAPTION}">and ${count(shared.size, "more event")}</text>`
  }`;
}

function threadLine({ lane, from, made, to }: Thread, caption: string, { x }: Frame): Html {
  const y = TOP + lane * LANE + MIDDLE;
  const line = (kind: string, left: number, right: number) =>
    right - left > SHORTEST && html`<line class="${kind}" x1="${left}" x2="${right}" y1="${y}" y2="${y}"/>`;
  const above =
    caption !== "" &&
    html`<text class="caption" x="${x(from) - WIDTH / 2}" y="${y - MIDDLE + CAPTION}">${caption}</text>`;
  return html`${line("thread", x(from), x(made))}${line("thread ahead", x(made), x(to))}${above}`;
}

function groupMark(group: Group, threshold: number | null, frame: Frame): Html {
  const { lane, marks, tone, roomy } = group;
  const [first] = marks as [Mark, ...Mark[]];
  const x = frame.x(group.at);
  const y = TOP + lane * LANE + MIDDLE;
  const many = marks.length > 1;
  const end = frame.x(first.end);
  const span =
    !many &&
    end - x > SHORTEST &&
    html`<rect class="span ${tone}" x="${x}" y="${y - 3}" width="${end - x}" height="6" rx="3"/>`;
  const label = roomy && (many ? `${marks.length}×` : first.label);
  const shape =
    first.kind === "skipped" ? undefined : many ? sharedShape(group, x, y) : singleShape(first, x, y, roomy);
  const text = label && html`<text x="${x}" y="${y + 4}" text-anchor="middle">${label}</text>`;
  const kind = `mark ${first.kind} ${many && first.kind === "attempt" ? "many" : tone} ${first.trigger}`;
  return html`${span}<g class="${kind}"><title>${titleOf(group, threshold)}</title>${shape}${text}</g>`;
}

function singleShape({ kind, tone, trigger }: Mark, x: number, y: number, roomy: boolean): Html {
  const ghost = kind === "planned" || kind === "forecast";
  const width = roomy ? (ghost ? HEIGHT : WIDTH) : SMALL.width;
  const height = roomy ? HEIGHT : SMALL.height;
  const round = tone === "good" || tone === "pending" ? height / 2 : 3;
  const ring =
    trigger === "manual" && html`<rect class="ring" ${place(x, y, width + 7, height + 7, round + 3)}/>`;
  const copy =
    trigger === "resend" && html`<rect class="copy" ${place(x + BEHIND, y + BEHIND, width, height, round)}/>`;
  return html`${ring}${copy}<rect class="shape" ${place(x, y, width, height, round)}/>`;
}

/** Draws several attempts as one shape, green above red, in proportion to the number of failures. */
function sharedShape(group: Group, x: number, y: number): Html {
  const { kind, roomy, tone } = group;
  const width = roomy ? WIDTH : SMALL.width;
  const height = roomy ? HEIGHT : SMALL.height;
  if (kind !== "attempt") return html`<rect class="shape" ${place(x, y, width, height, 3)}/>`;
  const { bad } = sharesOf(group);
  const top = Math.round(height * (1 - bad / 100));
  const under = html`<rect class="shape ${bad > 0 ? "bad" : tone}" ${place(x, y, width, height, 3)}/>`;
  if (bad === 0 || top === 0) return under;
  return html`${under}<rect class="shape good" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${top}" rx="3"/>`;
}

function place(x: number, y: number, width: number, height: number, round: number): Html {
  return html`x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${round}"`;
}

/** Describes a group in words. For a single attempt, the failure counter is added. */
function titleOf({ marks }: Group, threshold: number | null): string {
  const [first] = marks as [Mark, ...Mark[]];
  const words = groupWords(marks, (at) => instant(new Date(at).toISOString()));
  const counted = marks.length === 1 && first.tone === "bad" && first.failures !== null;
  return counted ? `${words}, ${counterWords(first.failures!, threshold)}` : words;
}
