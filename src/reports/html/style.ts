import { lightColors } from "../../html/page-style.ts";

/** A report's styles, in addition to those of all pages. */
export const reportStyle = `
header { display: flex; gap: .875rem; align-items: center; padding: 1.25rem; background: var(--panel); color: var(--panel-ink); }
header svg { flex: none; width: 2.25rem; height: 2.25rem; }
header h1 { font-size: 1.5rem; }
header p { color: var(--panel-soft); }
header time { color: #f0c37c; }
main { display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; max-width: 72rem; margin: 0 auto; padding: 1.25rem 1.25rem 4rem; }
.card, .scenario { background: var(--paper); border: 1px solid var(--line); border-radius: 8px; }
.card { padding: 1rem 1.25rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.card h2 { font-size: 1.0625rem; }
.card h3 { font-size: .9375rem; }
.failures { display: grid; gap: .375rem; }
.scenario > summary { display: flex; flex-wrap: wrap; gap: .25rem .75rem; align-items: baseline; padding: .75rem 1.25rem; list-style: none; }
.scenario > summary::-webkit-details-marker { display: none; }
.scenario > summary::before { content: "▸"; width: .75rem; color: var(--soft); }
.scenario[open] > summary::before { content: "▾"; }
.scenario > summary:hover h2 { text-decoration: underline; text-underline-offset: .18em; }
.scenario h2 { font-size: 1.0625rem; }
.scenario > summary > code { color: var(--soft); }
.scenario > summary > .soft { margin-left: auto; font-size: .875rem; }
.inside { scroll-margin-top: 4rem; display: grid; grid-template-columns: minmax(0, 1fr); gap: .875rem; padding: .25rem 1.25rem 1.25rem; }
.verdict { flex: none; padding: .0625rem .5rem; border-radius: 99px; font-size: .8125rem; font-weight: 600; background: var(--sunk); color: var(--soft); }
.verdict.good { background: var(--good-tint); color: var(--good); }
.verdict.bad { background: var(--bad-fill); color: var(--on-bad); border-radius: 4px; }
.facts { display: flex; flex-wrap: wrap; gap: .25rem 1.75rem; font-size: .9375rem; }
.facts dt { display: inline; color: var(--soft); margin-right: .375rem; }
.facts dd { display: inline; }
time { color: var(--sand); white-space: nowrap; }
.failure { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; padding: .75rem 1rem; border: 1px solid var(--bad-fill); border-left-width: 5px; border-radius: 6px; background: var(--bad-tint); }
.failure strong { color: var(--bad); }
.failure pre { background: var(--paper); white-space: pre; }
.endpoint { display: grid; grid-template-columns: minmax(0, 1fr); gap: .5rem; padding-top: .25rem; }
.others > .endpoint { margin-top: .75rem; }
.endpoint h3 { font-size: 1rem; }
.about { display: flex; flex-wrap: wrap; gap: .125rem .75rem; align-items: baseline; font-size: .875rem; }
.wide { overflow-x: auto; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); }
.drawing { padding: .5rem 0 0 .75rem; }
.drawing > svg { min-width: 34rem; max-width: 100%; height: auto; }
.legend { font-size: .875rem; color: var(--soft); }
.legend ul { display: flex; flex-wrap: wrap; gap: .375rem 1.25rem; padding: .5rem 0; }
.legend li { display: inline-flex; gap: .5rem; align-items: center; }
.legend p { max-width: 46rem; }
.endpoint details > summary, .others > summary { font-size: .875rem; color: var(--act); }
.endpoint details > .wide { margin-top: .5rem; }
.steps { display: grid; grid-template-columns: minmax(0, 1fr); border-top: 1px solid var(--line); }
.steps > li { counter-increment: step; position: relative; padding: .375rem 0 .375rem 2rem; border-bottom: 1px solid var(--line); }
.steps > li::before { content: counter(step) "."; position: absolute; left: 0; color: var(--soft); }
.steps .soft { font-size: .875rem; }
.ledger { display: grid; grid-template-columns: minmax(0, 1fr); gap: .125rem; padding: .375rem 0 .25rem; font-size: .875rem; }
.ledger li { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding-left: .75rem; border-left: 3px solid var(--line); }
.ledger li.good { border-color: var(--good-fill); }
.ledger li.bad { border-color: var(--bad-fill); }
.ledger li.bad span:not(.soft) { color: var(--bad); }
.log li { border-left-style: dotted; }
.left-out { font-size: .875rem; color: var(--soft); }
table { width: 100%; border-collapse: collapse; font-size: .875rem; }
th, td { text-align: left; vertical-align: top; padding: .3125rem .75rem; }
th { color: var(--soft); font-weight: 550; white-space: nowrap; }
tbody tr { border-top: 1px solid var(--line); }
td { min-width: 5rem; overflow-wrap: break-word; }
td bdi { display: inline-block; max-width: 34rem; }
.stacked table { table-layout: fixed; }
.stacked :is(th, td):nth-child(1) { width: 6.5rem; }
.stacked :is(th, td):nth-child(2) { width: 22%; }
.stacked td { overflow-wrap: anywhere; }
.stacked th { white-space: normal; }
.stacked tr.bad td { background: var(--bad-tint); }
.rest > summary h2 { display: inline; }
tr.bad .what { color: var(--bad); }
tr.good .what { color: var(--good); }
tr.ahead td { color: var(--soft); font-style: italic; }
@media (max-width: 40rem) {
  main { padding: .75rem .75rem 3rem; }
  .inside, .card, .scenario > summary { padding-left: .875rem; padding-right: .875rem; }
  .scenario > summary > .soft { margin-left: 0; }
  .ledger li { flex-direction: column; padding-bottom: .25rem; }
  .stacked thead { display: none; }
  .stacked :is(tbody, tr, td) { display: block; }
  .stacked td:nth-child(n) { width: auto; }
  .stacked td::before { content: attr(data-head); display: block; color: var(--soft); font-size: .8125rem; }
}
@media print {
  :root { color-scheme: light; ${lightColors} }
  body { background: #fff; }
  header { background: none; color: var(--ink); padding: 0 0 1rem; }
  header p, header time { color: var(--soft); }
  main { padding: 0; max-width: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  .wide { overflow: visible; border: 0; }
  .drawing svg.timeline { width: 100%; height: auto; }
  .drawing, .failure, .ledger li, tr { break-inside: avoid; }
}
`;

/** The styles of timelines, with the page's colours and shapes. */
export const timelineStyle = `
svg.timeline { display: block; flex: none; font: 12px/1 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif; }
svg.timeline .good { --fill: var(--good-fill); --tint: var(--good-tint); --word: var(--good); --on: var(--on-good); }
svg.timeline .bad { --fill: var(--bad-fill); --tint: var(--bad-tint); --word: var(--bad); --on: var(--on-bad); }
svg.timeline text { fill: var(--soft); unicode-bidi: isolate; }
svg.timeline :is(.tick, .base) { stroke: var(--line); }
svg.timeline .tick { stroke-opacity: .7; }
svg.timeline .time.day { fill: var(--ink); font-weight: 600; }
svg.timeline :is(.gap, .now text, .disabled-at text) { fill: var(--sand); font-size: 11px; font-weight: 600; }
svg.timeline .break { fill: none; stroke: var(--edge); stroke-opacity: .6; }
svg.timeline rect.ahead { fill: var(--sand-tint); }
svg.timeline .band.good { fill: var(--fill); }
svg.timeline .band.bad { fill: var(--tint); stroke: var(--fill); stroke-dasharray: 2 3; }
svg.timeline .flag rect { fill: var(--paper); stroke: var(--fill, var(--edge)); }
svg.timeline .flag text { fill: var(--word, var(--soft)); font-size: 11px; }
svg.timeline .flag.bad rect { fill: var(--fill); }
svg.timeline .flag.bad text { fill: var(--on); }
svg.timeline .threshold { stroke: var(--bad-fill); stroke-dasharray: 2 4; }
svg.timeline .fill { fill: var(--bad-tint); }
svg.timeline .curve { fill: none; stroke: var(--bad-fill); stroke-width: 1.75; }
svg.timeline .curve.ahead { stroke-dasharray: 3 4; }
svg.timeline .counter { fill: var(--ink); font-size: 13px; font-weight: 650; }
svg.timeline .caption { font-size: 11px; }
svg.timeline :is(.counter, .caption) { paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
svg.timeline .thread { stroke: var(--edge); stroke-opacity: .55; stroke-width: 2; }
svg.timeline .thread.ahead { stroke-dasharray: 5 5; }
svg.timeline .span { fill: var(--tint, var(--good-tint)); stroke: var(--fill, var(--good-fill)); }
svg.timeline .span.pending { fill: var(--paper); stroke: var(--ink); }
svg.timeline .mark text { font-weight: 650; fill: var(--on, var(--ink)); }
svg.timeline .mark.many text { fill: var(--on-bad); }
svg.timeline .mark .shape { fill: var(--fill, var(--paper)); stroke-width: 1.5; }
svg.timeline .mark :is(.ring, .copy) { fill: none; stroke: var(--fill, var(--ink)); stroke-width: 1.5; }
svg.timeline .mark .copy { fill: var(--paper); }
svg.timeline .mark.pending .shape { stroke: var(--ink); }
svg.timeline .mark.test .shape { fill: var(--paper); stroke: var(--fill, var(--ink)); }
svg.timeline .mark.test text { fill: var(--word, var(--ink)); }
svg.timeline .mark.planned .shape { stroke: var(--ink); stroke-dasharray: 3 2.5; }
svg.timeline .mark.forecast .shape { stroke: var(--edge); stroke-dasharray: 1.5 2; }
svg.timeline .mark:is(.forecast, .skipped) text { fill: var(--soft); }
svg.timeline .mark.skipped text { font-size: 16px; }
svg.timeline :is(.now, .disabled-at) line { stroke: var(--sand-fill); stroke-width: 2; }
svg.timeline .disabled-at line { stroke: var(--bad-fill); stroke-dasharray: 5 4; }
svg.timeline .disabled-at text { fill: var(--bad); }
@media (forced-colors: active) { svg.timeline { forced-color-adjust: none; } }
@media print { svg.timeline { print-color-adjust: exact; -webkit-print-color-adjust: exact; } }
`;
