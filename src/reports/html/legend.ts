import { type Html, html, trusted } from "../../html/html.ts";

const KEYS: [drawing: string, words: string][] = [
  [
    '<g class="mark attempt good"><rect class="shape" x="1" y="1" width="30" height="18" rx="9"/><text x="16" y="14" text-anchor="middle">200</text></g>',
    "delivered",
  ],
  [
    '<g class="mark attempt bad"><rect class="shape" x="1" y="1" width="30" height="18" rx="3"/><text x="16" y="14" text-anchor="middle">503</text></g>',
    "failed",
  ],
  [
    '<g class="mark planned"><rect class="shape" x="7" y="1" width="18" height="18" rx="3"/><text x="16" y="14" text-anchor="middle">3</text></g>',
    "planned retry, by number",
  ],
  [
    '<g class="mark forecast"><rect class="shape" x="7" y="1" width="18" height="18" rx="3"/><text x="16" y="14" text-anchor="middle">4</text></g>',
    "would follow if all fail",
  ],
  ['<g class="mark skipped"><text x="16" y="14" text-anchor="middle">×</text></g>', "not made"],
  [
    '<g class="mark attempt good manual"><rect class="ring" x="1" y="1" width="30" height="18" rx="9"/><rect class="shape" x="4" y="4" width="24" height="12" rx="6"/></g>',
    "manual retry",
  ],
  [
    '<g class="mark attempt good resend"><rect class="copy" x="5" y="5" width="26" height="14" rx="7"/><rect class="shape" x="1" y="1" width="26" height="14" rx="7"/></g>',
    "resend",
  ],
  [
    '<g class="mark attempt good test"><rect class="shape" x="2" y="2" width="28" height="16" rx="8"/></g>',
    "test",
  ],
  ['<path class="break" d="M16 0l3 4l-6 6l6 6l-3 4"/>', "a gap of six hours or more"],
];

export function legend(): Html {
  return html`<details class="legend"><summary>How to read the timelines</summary><ul>${KEYS.map(
    ([drawing, words]) =>
      html`<li>${trusted(`<svg class="timeline" width="32" height="20" aria-hidden="true">${drawing}</svg>`)}${words}</li>`,
  )}</ul><p>Virtual time runs from left to right, but not to scale: so that a retry after a minute can be seen beside one after
days, each gap is drawn by its order of magnitude. How long it really is stands above it. The curve counts failures in a row up to
the dotted line, at which the endpoint is disabled. Beyond the sand-coloured line lies what was still ahead.</p></details>`;
}
