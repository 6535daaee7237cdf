import { type Html, html, linkTarget, page, trusted } from "./html.ts";
import { pageScript } from "./page-script.ts";
import { hourglass } from "./page-style.ts";

/** All that the page at `/` shows. */
export interface LandingView {
  version: string;
  url: string;
  world: string;
  seed: string;
  clock: { mode: string; rate: number; now: string };
  /** Base address by area; null for an area that is not served. */
  bases: Record<string, string | null>;
  keys: Record<string, string>;
  organization: { name: string };
  counts: Record<string, number>;
  links: { id: string; name: string; url: string; amount: string | null }[];
  webhooks: { id: string; url: string; status: string; consecutive_failures: number; threshold: number }[];
  commands: { title: string; command: string }[];
  references: { title: string; url: string }[];
}

/** Above this threshold a counter is written, not drawn. */
const maxCells = 20;

const style = `
.board { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1.25rem 4rem; display: grid; gap: 2.25rem; grid-template-columns: minmax(0, 1fr); }
.mast { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1.5rem; }
.mast h1 { display: flex; align-items: center; gap: .5rem; font-size: 1.25rem; }
.mast ul { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; }
.now { background: var(--panel); color: var(--panel-ink); border-radius: 10px; padding: clamp(1.25rem, 4vw, 2.25rem); display: grid; gap: .75rem; }
.now .soft { color: var(--panel-soft); }
.now time { display: block; color: #f0c37c; font-size: clamp(1.25rem, .5rem + 3.4vw, 3rem); font-weight: 600; letter-spacing: -.02em; line-height: 1.1; }
.now time small { font-size: .45em; font-weight: 500; letter-spacing: 0; }
.cols, .stack { display: grid; align-content: start; gap: 2.25rem; grid-template-columns: minmax(0, 1fr); }
.block { display: grid; gap: .75rem; align-content: start; grid-template-columns: minmax(0, 1fr); }
.list { border-top: 1px solid var(--line); }
.list > li, .list > div { display: grid; grid-template-columns: minmax(0, 1fr) auto; gap: .125rem 1rem; align-items: center; padding: .625rem 0; border-bottom: 1px solid var(--line); }
.list dt, .list .wide { grid-column: 1 / -1; color: var(--soft); font-size: .875rem; }
.list dd { min-width: 0; }
.curl { display: flex; gap: .5rem; align-items: center; }
.curl pre { flex: 1; min-width: 0; background: var(--paper); border: 1px solid var(--line); }
.cells { display: flex; gap: 3px; padding-top: .25rem; grid-column: 1 / -1; }
.cell { flex: 1; max-width: 1.75rem; height: .5rem; border: 1px solid var(--edge); border-radius: 2px; }
.cell.on { background: var(--bad); border-color: var(--bad); }
.on-text { color: var(--good); } .off-text { color: var(--bad); }
@media (max-width: 35.99rem) {
  .curl { display: block; }
  .curl .copy { margin-top: .5rem; }
}
@media (min-width: 56rem) { .board { padding-top: 2.5rem; } .cols { grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); gap: 2.5rem 3.5rem; } }
`;

/** The page at `/`: what runs here, where, and what to paste first. */
export function renderLanding(view: LandingView): string {
  return page({
    title: `Sandglass at ${view.url}`,
    styles: style,
    script: pageScript,
    body: html`<div class="board">
<header class="mast"><h1>${trusted(hourglass)} Sandglass <span class="soft small">${view.version}</span></h1>
${
  view.references.length > 0 &&
  html`<nav aria-label="Pages"><ul>${view.references.map(
    ({ title, url }) => html`<li>${anchorOr(url, html`${title}`)}</li>`,
  )}</ul></nav>`
}</header>
<main class="stack">
${nowPanel(view)}<p class="vh" role="status" data-said></p>
<div class="cols"><div class="stack">
${block("Base addresses", copyList("base", view.bases))}
${block("Payment links to open", links(view.links), html`Pay, or make a payment fail, as your customer would.`)}
</div><div class="stack">
${block("Keys", copyList("key", view.keys), html`Of ${view.organization.name}. They are made up, and work only here.`)}
${block("Webhook endpoints", webhooks(view.webhooks), html`Failed deliveries in a row, up to the one that disables.`)}
</div></div>
${view.commands.length > 0 && block("Commands to paste", commands(view.commands))}
</main></div>`,
  });
}

function nowPanel({ url, world, seed, clock, counts }: LandingView): Html {
  const [date, time] = clock.now.replace("Z", "").split("T");
  const pace = clock.rate === 1 ? clock.mode : `${clock.mode}, ${clock.rate} times real time`;
  const held = Object.entries(counts).map(
    ([name, count]) => `${count.toLocaleString("en")} ${name.replaceAll("_", " ")}`,
  );
  return html`<section class="now" aria-label="Now"><p class="soft">The sandbox clock, ${pace}</p>
<time datetime="${clock.now}">${date} ${time?.slice(0, 8)} <small>UTC</small></time>
<p>World <b>${world}</b>, seed <b>${seed}</b>, at <b>${url}</b></p>
${held.length > 0 && html`<p class="soft">${held.join(", ")}</p>`}</section>`;
}

function block(title: string, content: Html, note?: Html): Html {
  return html`<section class="block"><div><h2>${title}</h2>${note && html`<p class="small soft">${note}</p>`}</div>${content}</section>`;
}

function copyList(prefix: string, values: Record<string, string | null>): Html {
  return html`<dl class="list">${Object.entries(values).map(([name, value], index) => {
    const id = `${prefix}-${index}`;
    return html`<div><dt>${name.replaceAll("_", " ")}</dt><dd>${
      value === null
        ? html`<span class="soft">not in this version</span>`
        : html`<code id="${id}">${value}</code>`
    }</dd>${value !== null && html`<dd>${copy(id, name)}</dd>`}</div>`;
  })}</dl>`;
}

function links(all: LandingView["links"]): Html {
  if (all.length === 0) return html`<p class="soft">None yet. POST /payment-links makes one.</p>`;
  return html`<ul class="list">${all.map(
    ({ id, name, url, amount }) =>
      html`<li>${anchorOr(url, html`<bdi>${name}</bdi>`)}<span>${
        amount ?? html`<span class="soft">any amount</span>`
      }</span><code class="wide">${id}</code></li>`,
  )}</ul>`;
}

function webhooks(all: LandingView["webhooks"]): Html {
  if (all.length === 0) return html`<p class="soft">None yet. POST /webhooks makes one.</p>`;
  return html`<ul class="list">${all.map((hook) => {
    const count = `${hook.consecutive_failures}/${hook.threshold}`;
    return html`<li><code>${hook.url}</code><span><span class="${hook.status === "enabled" ? "on-text" : "off-text"}">${
      hook.status
    }</span> ${count}</span>${hook.threshold <= maxCells && cells(hook.consecutive_failures, hook.threshold)}<code class="wide">${
      hook.id
    }</code></li>`;
  })}</ul>`;
}

function cells(filled: number, total: number): Html {
  return html`<span class="cells" aria-hidden="true">${Array.from(
    { length: total },
    (_, index) => html`<i class="cell${index < filled && " on"}"></i>`,
  )}</span>`;
}

function commands(all: LandingView["commands"]): Html {
  return html`${all.map(
    ({ title, command }, index) =>
      html`<div><p class="small soft">${title}</p><div class="curl"><pre tabindex="0"><code id="command-${index}">${command}</code></pre>${copy(
        `command-${index}`,
        title,
      )}</div></div>`,
  )}`;
}

function copy(id: string, what: string): Html {
  return html`<button type="button" class="copy" data-copy="${id}">Copy<span class="vh"> ${what}</span></button>`;
}

function anchorOr(url: string, text: Html): Html {
  const target = linkTarget(url);
  return target ? html`<a href="${target}">${text}</a>` : text;
}
