/** The colours for light mode and for printing. */
export const lightColors = `
  --ground: #eaeeef; --paper: #fff; --sunk: #f2f5f5; --line: #d0d8da; --edge: #75858b; --ink: #0f1a1d; --soft: #47575d;
  --act: #0a5a62; --act-over: #07474e; --on-act: #fff; --sand: #855000; --sand-fill: #d9962a; --sand-tint: #fbf4e6;
  --bad: #a1241d; --bad-fill: #b3312a; --bad-tint: #fbeceb; --on-bad: #fff;
  --good: #17653a; --good-fill: #1d7746; --good-tint: #e6f3eb; --on-good: #fff;
  --panel: #0c3c42; --panel-ink: #f1f7f7; --panel-soft: #b3ced0; --panel-line: #2b5c62;`;

/**
 * The stylesheet of all server-rendered pages. Petrol is for actions, sand only for virtual time, and red only for failures.
 */
export const pageStyle = `
:root { color-scheme: light dark; ${lightColors} --mono: ui-monospace, "SFMono-Regular", "Cascadia Mono", Menlo, Consolas, monospace; }
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #0d1214; --paper: #141b1d; --sunk: #0f1517; --line: #2a3539; --edge: #6a7b82; --ink: #e3ebed; --soft: #9fafb4;
    --act: #74cfcf; --act-over: #94dddd; --on-act: #05282b; --sand: #e6b567; --sand-fill: #d3922c; --sand-tint: #1d1a12;
    --bad: #ff9d92; --bad-fill: #ff8e82; --bad-tint: #2c1a19; --on-bad: #2b0806;
    --good: #82d5a2; --good-fill: #6cc592; --good-tint: #13251b; --on-good: #04210f;
    --panel: #0a2a2e; --panel-ink: #e7f1f1; --panel-soft: #9dbcbf; --panel-line: #234a4f;
  }
}
*, ::before, ::after { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: tabular-nums; overflow-wrap: anywhere;
}
h1, h2, h3, p, dl, dd, ul, ol, pre, fieldset, table { margin: 0; padding: 0; }
h1, h2, h3 { line-height: 1.2; font-weight: 650; text-wrap: balance; }
h1 { font-size: 1.75rem; letter-spacing: -.015em; }
h2 { font-size: 1.25rem; letter-spacing: -.01em; }
h3 { font-size: 1rem; }
ul, ol { list-style: none; }
fieldset { border: 0; min-width: 0; }
a { color: var(--act); text-underline-offset: .18em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
code, pre, kbd { font-family: var(--mono); font-size: .875em; }
pre { overflow-x: auto; overflow-wrap: normal; background: var(--sunk); padding: .75rem .875rem; border-radius: 6px; }
:focus-visible { outline: 3px solid var(--act); outline-offset: 2px; border-radius: 4px; }
button, input { font: inherit; color: inherit; }
button { cursor: pointer; }
input {
  width: 100%; min-height: 2.75rem; padding: .5rem .75rem; border: 1px solid var(--edge); border-radius: 6px;
  background: var(--paper);
}
input[aria-invalid] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
summary { cursor: pointer; }
[hidden] { display: none !important; }
.soft { color: var(--soft); }
.small { font-size: .875rem; }
.copy {
  display: none; flex: none; min-width: 4.75rem; padding: .25rem .625rem; font-size: .8125rem;
  border: 1px solid var(--line); border-radius: 6px; background: var(--paper); color: var(--act);
}
.js .copy { display: inline-block; }
.copy:hover { border-color: var(--act); }
.vh { position: absolute; width: 1px; height: 1px; margin: -1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
.skip { position: absolute; left: -100vw; }
.skip:focus { left: .5rem; top: .5rem; z-index: 9; padding: .5rem .75rem; background: var(--paper); }
@media (prefers-reduced-motion: no-preference) {
  a, button, input { transition: background-color .12s, border-color .12s; }
}
@media (forced-colors: active) { .cell, .gauge { forced-color-adjust: none; } }
`;

/** The hourglass as inline SVG, in the text colour and with sand-coloured sand. */
export const hourglass =
  '<svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true" focusable="false">' +
  '<path d="M6 2.75h12M6 21.25h12M7.5 3v3.5L11 11v2l-3.5 4.5V21M16.5 3v3.5L13 11v2l3.5 4.5V21" ' +
  'fill="none" stroke="currentColor" stroke-width="1.5" stroke-linecap="round" stroke-linejoin="round"/>' +
  '<path d="M9 7h6l-3 3.75zM12 15l3.2 4.75H8.8z" fill="var(--sand-fill)"/></svg>';
