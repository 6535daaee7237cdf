import { type Html, html } from "../../html/html.ts";
import { count, instant } from "../text.ts";
import { AXIS, CURVE, type Frame, LANE, LEFT, STATES } from "./frame.ts";
import type { Group, Lanes, Thread } from "./lanes.ts";
import type { Mark } from "./marks.ts";

const TOP = AXIS + STATES + CURVE;
/** Where in its lane a caption stands, and the middle of a mark. */
const CAPTION = 11;
const MIDDLE = 28;
const HEIGHT = 22;
const WIDTH = 34;
const SMALL = { width: 9, height: 16 };
/** A duration or a thread shorter than this is not drawn, pixels. */
const SHORTEST = 4;

/** Attempts made, and ghosts of those to come, each event in its lane. */
export function attemptTrack({ threads, groups, count: lanes, sharing }: Lanes, frame: Frame): Html {
  const rest =
    sharing > 0 &&
    html`<text class="caption" x="${LEFT}" y="${TOP + (lanes - 1) * LANE + CAPTION}">and ${count(sharing, "more event")}</text>`;
  return html`${threads.map(threadLine)}${groups.map((group) => groupMark(group, frame))}${rest}`;
}

function threadLine({ lane, from, made, to, caption }: Thread): Html {
  const y = TOP + lane * LANE + MIDDLE;
  const line = (kind: string, left: number, right: number) =>
    right - left > SHORTEST &&
    html`<line class="${kind}" x1="${LEFT + left}" x2="${LEFT + right}" y1="${y}" y2="${y}"/>`;
  const above =
    caption !== "" &&
    html`<text class="caption" x="${LEFT + from - WIDTH / 2}" y="${y - MIDDLE + CAPTION}">${caption}</text>`;
  return html`${line("thread", from, made)}${line("thread ahead", made, to)}${above}`;
}

function groupMark(group: Group, frame: Frame): Html {
  const { lane, marks, tone, roomy } = group;
  const [first] = marks as [Mark, ...Mark[]];
  const x = LEFT + group.x;
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
  return html`${span}<g class="${kind}"><title>${groupWords(group)}</title>${shape}${text}</g>`;
}

function singleShape({ kind, tone, trigger }: Mark, x: number, y: number, roomy: boolean): Html {
  const ghost = kind === "planned" || kind === "forecast";
  const width = roomy ? (ghost ? HEIGHT : WIDTH) : SMALL.width;
  const height = roomy ? HEIGHT : SMALL.height;
  const round = tone === "good" || tone === "pending" ? height / 2 : 3;
  const ring =
    trigger === "manual" && html`<rect class="ring" ${place(x, y, width + 7, height + 7, round + 3)}/>`;
  return html`${ring}<rect class="shape" ${place(x, y, width, height, round)}/>`;
}

/** Several in one: green above, red below, by how many failed. */
function sharedShape({ marks, roomy, tone }: Group, x: number, y: number): Html {
  const width = roomy ? WIDTH : SMALL.width;
  const height = roomy ? HEIGHT : SMALL.height;
  if (marks[0]!.kind !== "attempt") return html`<rect class="shape" ${place(x, y, width, height, 3)}/>`;
  const bad = marks.filter((mark) => mark.tone === "bad").length / marks.length;
  const top = Math.round(height * (1 - bad));
  const under = html`<rect class="shape ${bad > 0 ? "bad" : tone}" ${place(x, y, width, height, 3)}/>`;
  if (bad === 0 || top === 0) return under;
  return html`${under}<rect class="shape good" x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${top}" rx="3"/>`;
}

function place(x: number, y: number, width: number, height: number, round: number): Html {
  return html`x="${x - width / 2}" y="${y - height / 2}" width="${width}" height="${height}" rx="${round}"`;
}

function groupWords({ marks }: Group): string {
  const [first] = marks as [Mark, ...Mark[]];
  if (marks.length === 1) return first.words;
  const iso = (at: number) => instant(new Date(at).toISOString());
  const [from, to] = [iso(first.at), iso(marks.at(-1)!.at)];
  const when = from === to ? `at ${from}` : `from ${from} to ${to}`;
  if (first.kind !== "attempt") return `${count(marks.length, "attempt")} to come, ${when}`;
  return `${count(marks.length, "attempt")}, ${marks.filter(({ tone }) => tone === "bad").length} failed, ${when}`;
}
