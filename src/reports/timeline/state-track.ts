import { type Html, html } from "../../html/html.ts";
import { instant } from "../../story/instant.ts";
import { bandsOf, CHANGE_GLYPHS, changeWords, type StateBand } from "../../story/states.ts";
import type { Excerpt } from "./excerpt.ts";
import { AXIS, type Frame, LEFT, STATES } from "./frame.ts";

/** Flags are put side by side when they would cover each other, pixels. */
const FLAG = 20;

/** Whether the endpoint was on or off, and what happened to it. */
export function stateTrack({ timeline, changes }: Excerpt, frame: Frame): Html {
  let last = Number.NEGATIVE_INFINITY;
  const flags = changes.map((change) => {
    const x = Math.max(frame.x(Date.parse(change.at)), last + FLAG);
    last = x;
    const kind = Object.hasOwn(CHANGE_GLYPHS, change.type) ? change.type : "other";
    return flag(x, kind, CHANGE_GLYPHS[kind] ?? "?", changeWords(change, instant(change.at)));
  });
  return html`${bandsOf(timeline).map((one) => band(one, frame))}${flags}`;
}

function flag(x: number, kind: string, glyph: string, words: string): Html {
  const top = AXIS + 5;
  return html`<g class="flag ${kind}"><title>${words}</title><rect x="${x - 9}" y="${top}" width="18" height="20" rx="4"/><text x="${x}" y="${top + 14}" text-anchor="middle">${glyph}</text></g>`;
}

function band({ from, to, state }: StateBand, frame: Frame): Html | false {
  const left = Number.isFinite(from) ? frame.x(from) : LEFT;
  const right = to === undefined ? frame.width : frame.x(to);
  const [top, height] = state === "disabled" ? [8, 14] : [STATES / 2 - 1, 2];
  return (
    right > left &&
    html`<rect class="band ${state}" x="${left}" y="${AXIS + top}" width="${right - left}" height="${height}"/>`
  );
}
