import { type Html, html } from "../../html/html.ts";
import { clip, instant, plain } from "../text.ts";
import type { Excerpt } from "./excerpt.ts";
import { AXIS, type Frame, LEFT, STATES } from "./frame.ts";
import type { Timeline } from "./marks.ts";

type Change = Timeline["changes"][number];

const GLYPHS: Record<string, string> = {
  created: "+",
  updated: "~",
  disabled: "■",
  enabled: "▶",
  deleted: "×",
  mail: "✉",
};
const WORDS: Record<string, string> = {
  created: "Endpoint created",
  updated: "Endpoint changed",
  disabled: "Endpoint disabled",
  enabled: "Endpoint enabled",
  deleted: "Endpoint deleted",
  mail: "E-mail sent",
};
const REASONS: Record<string, string> = {
  consecutive_failures: "too many failures in a row",
  dashboard: "by hand",
  api: "over the API",
};
/** Flags are put side by side when they would cover each other, pixels. */
const FLAG = 20;
const SUBJECT = 200;

/** Something that happened to an endpoint, in words. */
export function changeWords({ type, reason }: Pick<Change, "type" | "reason">): string {
  const why = reason === null ? "" : `: ${plain(clip(REASONS[reason] ?? reason, SUBJECT))}`;
  return `${WORDS[type] ?? plain(type)}${why}`;
}

/** Whether the endpoint was on or off, and what happened to it. */
export function stateTrack({ timeline, changes }: Excerpt, frame: Frame): Html {
  let last = Number.NEGATIVE_INFINITY;
  const flags = changes.map((change) => {
    const x = Math.max(frame.x(Date.parse(change.at)), last + FLAG);
    last = x;
    const known = Object.hasOwn(GLYPHS, change.type) ? change.type : "other";
    return flag(x, known, GLYPHS[known] ?? "?", `${changeWords(change)}, at ${instant(change.at)}`);
  });
  return html`${bands(timeline, frame)}${flags}`;
}

function flag(x: number, kind: string, glyph: string, words: string): Html {
  const top = AXIS + 5;
  return html`<g class="flag ${kind}"><title>${words}</title><rect x="${x - 9}" y="${top}" width="18" height="20" rx="4"/><text x="${x}" y="${top + 14}" text-anchor="middle">${glyph}</text></g>`;
}

function bands({ changes, status }: Timeline, frame: Frame): Html[] {
  const drawn: Html[] = [];
  let state = firstState(changes, status);
  let since = LEFT;
  const end = (x: number) => {
    if (state !== undefined && x > since) drawn.push(band(state, since, x));
    since = x;
  };
  for (const { type, at } of changes) {
    const next =
      type === "created" || type === "enabled" ? "enabled" : type === "disabled" ? "disabled" : state;
    if (next === state && type !== "deleted") continue;
    end(frame.x(Date.parse(at)));
    state = type === "deleted" ? undefined : next;
  }
  end(frame.width);
  return drawn;
}

/** The state before all changes that are known. */
function firstState(changes: Timeline["changes"], status: Timeline["status"]): string | undefined {
  const first = changes.find(({ type }) =>
    ["created", "enabled", "disabled", "deleted"].includes(type),
  )?.type;
  if (first === undefined) return status === "deleted" ? undefined : status;
  return first === "created" ? undefined : first === "enabled" ? "disabled" : "enabled";
}

function band(state: string, from: number, to: number): Html {
  const [top, height] = state === "disabled" ? [8, 14] : [STATES / 2 - 1, 2];
  return html`<rect class="band ${state}" x="${from}" y="${AXIS + top}" width="${to - from}" height="${height}"/>`;
}
