/** The styles of the hosted pages: a petrol panel with the amount, with the form next to it. */
export const hostedStyle = `
@font-face {
  font-family: "Inter Variable"; font-weight: 400 700; font-display: swap;
  src: url("/assets/inter.woff2") format("woff2"); unicode-range: U+0000-00FF, U+2000-206F, U+20AC, U+2122;
}
body {
  font-family: "Inter Variable", system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif;
  font-variant-numeric: normal;
}
.clock { font-variant-numeric: tabular-nums; }
.till { display: grid; min-height: 100vh; min-height: 100dvh; grid-template-rows: auto 1fr; background: var(--paper); }
.due { background: var(--panel); color: var(--panel-ink); padding: 1.25rem 1.25rem 1.75rem; }
.due a { color: inherit; }
.due :focus-visible { outline-color: var(--panel-ink); }
.due .soft { color: var(--panel-soft); }
.due-in, .sheet-in { display: grid; gap: 1.5rem; align-content: start; max-width: 30rem; margin: 0 auto; width: 100%; }
.seller { display: flex; align-items: center; justify-content: space-between; gap: 1rem; font-weight: 600; }
.tag { flex: none; padding: .0625rem .625rem; border: 1px solid var(--panel-soft); border-radius: 99px; font-size: .8125rem; font-weight: 500; }
.what { padding-bottom: .25rem; font-size: 1.375rem; font-weight: 600; letter-spacing: -.01em; }
.sum { font-size: clamp(2.25rem, 1.5rem + 3.4vw, 3.75rem); font-weight: 600; line-height: 1.05; letter-spacing: -.03em; }
.sum.long { font-size: 1.375rem; line-height: 1.25; letter-spacing: -.01em; }
.sum small { font-size: .42em; font-weight: 500; letter-spacing: 0; color: var(--panel-soft); white-space: nowrap; }
.sum.long small { font-size: .8em; }
.facts { display: grid; gap: .5rem; font-size: .9375rem; }
.facts div { display: flex; justify-content: space-between; gap: 1.25rem; }
.facts dt { flex: none; color: var(--soft); }
.due .facts dt { color: var(--panel-soft); }
.facts dd { text-align: right; min-width: 0; }
.clock { display: grid; gap: .375rem; padding-top: 1.25rem; border-top: 1px solid var(--panel-line); }
.clock b { color: #f0c37c; font-size: 1.375rem; font-weight: 600; line-height: 1.2; }
.reading { display: flex; flex-wrap: wrap; align-items: baseline; gap: .125rem .5rem; }
.gauge { height: 1rem; margin-top: .25rem; background:
  linear-gradient(#f0c37c, #f0c37c) 0 0 / var(--share) 5px no-repeat,
  linear-gradient(var(--panel-line), var(--panel-line)) 0 0 / 100% 5px no-repeat,
  repeating-linear-gradient(90deg, var(--panel-soft) 0 1px, transparent 1px calc((100% - 1px) / 10)) 0 9px / 100% 7px no-repeat; }
.ends { display: flex; justify-content: space-between; }
.sheet { padding: 1.75rem 1.25rem 2rem; }
.form, .field { display: grid; gap: 1.125rem; }
.field { gap: .375rem; }
.field label { font-weight: 550; }
.field label .soft { font-weight: 400; }
.field .bad { color: var(--bad); }
.ship { display: grid; gap: .75rem; grid-template-columns: minmax(0, 2fr) minmax(0, 1fr) minmax(0, 1fr); }
.ship legend { padding: 0 0 .375rem; font-weight: 550; }
.ship legend .soft { font-weight: 400; }
.ship > p, .ship > .field:first-of-type { grid-column: 1 / -1; }
.pay {
  display: block; width: 100%; min-height: 3.25rem; padding: .8125rem 1rem; border: 0; border-radius: 8px; font-size: 1.0625rem;
  font-weight: 600; background: var(--act); color: var(--on-act); text-align: center; text-decoration: none;
}
.pay:hover { background: var(--act-over); }
.notice { padding: .75rem .875rem; border-radius: 6px; background: var(--bad-tint); border: 1px solid var(--bad); }
.break { padding-top: 1.25rem; border-top: 1px solid var(--line); }
.break legend { float: left; width: 100%; padding: 0; font-weight: 600; }
.break > p { clear: both; padding-bottom: .75rem; }
.fails { display: grid; gap: .5rem; grid-template-columns: repeat(2, minmax(0, 1fr)); }
.fail {
  display: grid; align-content: start; gap: .125rem; padding: .5rem .75rem; text-align: left; line-height: 1.3;
  border: 1px solid var(--line); border-radius: 8px; background: none;
}
.fail b { font-weight: 550; }
.fail span { color: var(--soft); font-size: .8125rem; }
.fail:hover { border-color: var(--bad); background: var(--sunk); }
.fail.wide:hover { border-color: var(--sand); }
.fail.wide { grid-column: 1 / -1; }
.fail.wide b { color: var(--sand); }
.more summary { color: var(--act); }
.more .facts { padding-top: .75rem; }
.shut { min-height: 100vh; min-height: 100dvh; display: grid; place-content: center; padding: 1.5rem; }
.shut main { display: grid; gap: .875rem; max-width: 30rem; }
.shut svg { width: 44px; height: 44px; color: var(--soft); }
.state { display: flex; align-items: center; gap: .75rem; }
.state span { display: flex; }
.ok { color: var(--good); }
@media (min-width: 56rem) {
  .till { grid-template: none / minmax(22rem, 5fr) 6fr; }
  .due, .sheet { padding: clamp(2.5rem, 9vh, 5.5rem) 3rem; }
  .due-in { margin: 0 0 0 auto; max-width: 25rem; gap: 2rem; position: sticky; top: clamp(2.5rem, 9vh, 5.5rem); }
  .sheet-in { margin: 0 auto 0 0; max-width: 29rem; padding-left: 1rem; }
}
`;
